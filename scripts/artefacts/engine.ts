import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A container engine with a store of its own. Podman, without a daemon; `docker` in its folder of commands is the same. */
export type Engine = {
  /** Put it first on the path: commands of a page that begin with `docker` then run here. */
  commandFolder: string;
  cacheFolder: string;
  /** Runs podman and returns its output. */
  podman: (...words: string[]) => string;
  /** Runs podman whatever comes of it. */
  tryPodman: (...words: string[]) => { status: number | null; output: string };
};

const NEEDED = ["podman", "buildah", "runc", "debootstrap", "tar"];
/** A container may ask for no more than this machine gives; the defaults of podman do. */
const LIMITS = ["--ulimit", "nofile=10000:10000", "--ulimit", "nproc=10000:10000"];

export function openEngine(): Engine {
  const missing = NEEDED.filter((program) => spawnSync("which", [program]).status !== 0);
  if (missing.length > 0 || process.getuid?.() !== 0)
    throw new Error(`needs root and, from Debian: ${NEEDED.join(", ")}. Missing: ${missing.join(", ") || "root"}.`);
  const cacheFolder = join(
    process.env["TOLLGATE_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tollgate"),
    "artefacts",
  );
  const commandFolder = join(cacheFolder, "bin");
  mkdirSync(commandFolder, { recursive: true });
  const store = ["--root", join(cacheFolder, "store"), "--runroot", join(cacheFolder, "run")];
  const all = [...store, "--storage-driver", "overlay", "--runtime", "runc", "--cgroup-manager", "cgroupfs"];
  write(join(commandFolder, "podman"), podmanScript(all));
  write(join(commandFolder, "docker"), podmanScript(all));
  const run = (words: readonly string[]) =>
    spawnSync(join(commandFolder, "podman"), words, { encoding: "utf8", maxBuffer: 64 * 1_048_576 });
  return {
    commandFolder,
    cacheFolder,
    podman: (...words) =>
      execFileSync(join(commandFolder, "podman"), words, {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      }).trim(),
    tryPodman: (...words) => {
      const { status, stdout, stderr } = run(words);
      return { status, output: `${stdout}${stderr}` };
    },
  };
}

/**
 * Timers of health checks need systemd, which is absent; the checks themselves are run by hand. A program in a build is
 * entered by chroot, as a build in a container has no right to make another.
 */
const podmanScript = (globals: readonly string[]): string => `#!/bin/bash
set -e
globals=(${globals.map((word) => `'${word}'`).join(" ")})
command=$1; shift
case "$command" in
  run|create) exec /usr/bin/podman "\${globals[@]}" "$command" ${LIMITS.join(" ")} "$@" ;;
  build) exec /usr/bin/podman "\${globals[@]}" build --isolation chroot --format docker --layers=false "$@" ;;
  *) exec /usr/bin/podman "\${globals[@]}" "$command" "$@" ;;
esac
`;

function write(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
