import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The tree of an earlier version, with the packages of this one; says so when the history does not have it. */
export async function checkOut(ref: string): Promise<AsyncDisposable & { main: string; title: string }> {
  const git = (...words: string[]) => spawnSync("git", words, { cwd: ROOT, encoding: "utf8" });
  const found = git("log", "-1", "--format=%s", `${ref}^{commit}`);
  if (found.status !== 0)
    throw new Error(
      `the history here does not have ${ref}, so nothing was tried. Fetch it, or name another with --from REF`,
    );
  const folder = mkdtempSync(join(tmpdir(), "tollgate-earlier-"));
  const tree = execFileSync("git", ["archive", ref], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: tree });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return {
    main: join(folder, "src/main.ts"),
    title: found.stdout.trim(),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
