import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What console/ is built with is installed once per lockfile. */
export function installConsole(folder: string): void {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const mark = join(folder, "node_modules/.installed-lock.json");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return;
  console.log("console: installing what it is built with into console/node_modules");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: "inherit",
  });
  writeFileSync(mark, lock);
}
