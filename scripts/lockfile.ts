/**
 * Keeps the lockfiles of the project, of its site and of its console fit for `npm ci` on every platform. npm leaves an optional package out when the registry at hand does
 * not have it, and then refuses the lock elsewhere as incomplete. `--fix` adds what is missing; no host may be named. Every
 * package has the hash of its content, except what `--fix` has added for other platforms than the one of CI and of the image. A
 * package with an install script stands in `allowScripts` of package.json, without which `npm ci` fails (`strict-allow-scripts`).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Entry = {
  version?: string;
  dev?: true;
  resolved?: string;
  integrity?: string;
  link?: true;
  hasInstallScript?: true;
  optional?: true;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
} & Record<string, unknown>;

const FOLDERS = [".", "site", "console"];
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32", "windows"];
const PROCESSORS = ["arm64", "x64", "ia32", "ppc64", "riscv64", "s390x", "arm", "wasm32"];

for (const folder of FOLDERS) look(folder);

function look(folder: string): void {
  const file = join(folder, "package-lock.json");
  const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };
  const { allowScripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    allowScripts: Record<string, boolean>;
  };
  const problems: string[] = [];
  let unhashed = 0;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.resolved?.startsWith("http")) problems.push(`${path} names a host`);
    if (path !== "" && entry.link !== true && entry.integrity === undefined) {
      if (isForElsewhere(entry)) unhashed++;
      else problems.push(`${path} has no integrity`);
    }
    const name = path.split("node_modules/").at(-1) ?? "";
    if (entry.hasInstallScript === true && allowScripts[name] === undefined) {
      problems.push(
        `${name} has an install script: add "${name}": false to allowScripts in ${join(folder, "package.json")}`,
      );
    }
    for (const [optional, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (lock.packages[`${path}/node_modules/${optional}`] || lock.packages[`node_modules/${optional}`]) continue;
      problems.push(`${optional} is missing`);
      lock.packages[`node_modules/${optional}`] = placeholder(optional, version, entry);
    }
  }

  if (process.argv.includes("--fix")) {
    lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
    console.log(`${file}: ${problems.length} entries mended`);
  } else {
    for (const problem of problems) console.error(`${file}: ${problem}`);
    console.log(
      `${file}: ${Object.keys(lock.packages).length} packages, ${unhashed} of other platforms without a hash`,
    );
    if (problems.length > 0) process.exitCode = 1;
  }
}

/** Whether an entry is never installed on Linux with glibc on x64. */
function isForElsewhere({ optional, os = [], cpu = [], libc = [] }: Entry): boolean {
  const here =
    (os.length === 0 || os.includes("linux")) &&
    (cpu.length === 0 || cpu.includes("x64")) &&
    (libc.length === 0 || libc.includes("glibc"));
  return optional === true && !here;
}

/** Such packages carry their platform in their name; nothing else about them is needed where they are not installed. */
function placeholder(name: string, version: string, parent: Entry): Entry {
  const words = name.split("/").at(-1)?.split("-") ?? [];
  const system = SYSTEMS.find((word) => words.includes(word));
  const processor = PROCESSORS.find((word) => words.includes(word));
  const library = /musl/.test(name) ? "musl" : /gnu/.test(name) ? "glibc" : null;
  return {
    version: version.replace(/^[~^]/, ""),
    ...(processor && { cpu: [processor] }),
    ...(parent.dev && { dev: true as const }),
    ...(library && { libc: [library] }),
    optional: true,
    ...(system && { os: [system === "windows" ? "win32" : system] }),
  };
}
