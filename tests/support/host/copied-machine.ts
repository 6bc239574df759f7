import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A copy of this machine in which a page's commands may do as root what they say: this machine's files under a layer that takes
 * every change and is gone with the last process. The words go before those of the shell.
 */
export function copyMachine(folder: string): string[] {
  const enter = join(folder, "enter.sh");
  const inside = join(folder, "bin");
  const root = join(folder, "root");
  const layer = join(folder, "layer");
  for (const place of [inside, root, layer]) mkdirSync(place);
  const systemctl = `#!/bin/sh\nexec ${process.execPath} ${join(import.meta.dirname, "act-out-unit.ts")} "$@"\n`;
  writeFileSync(join(inside, "systemctl"), systemctl);
  const steps = [
    `mount -t tmpfs tmpfs ${layer}`,
    `mkdir ${layer}/changed ${layer}/work`,
    `mount -t overlay overlay -o lowerdir=/,upperdir=${layer}/changed,workdir=${layer}/work ${root}`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t proc proc ${root}/proc`,
    `mount --bind ${folder} ${root}${folder}`,
    // Where its user can reach it; a Node in root's home is out of that user's sight.
    `cp ${process.execPath} ${root}/usr/local/bin/node`,
    `cp ${inside}/systemctl ${root}/usr/local/bin/systemctl`,
    `exec chroot ${root} sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"`,
  ];
  writeFileSync(enter, ["set -e", ...steps, ""].join("\n"));
  chmodSync(join(inside, "systemctl"), 0o755);
  return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", enter];
}

/** Why a machine cannot be copied here; null when it can. */
export function whyNoCopiedMachine(): string | null {
  if (process.getuid?.() !== 0) return "a copy of this machine needs root";
  const script =
    "mount -t tmpfs tmpfs /mnt && mkdir /mnt/a /mnt/b /mnt/c && mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/a,workdir=/mnt/b /mnt/c";
  const { status, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", script], { encoding: "utf8" });
  return status === 0 ? null : `a copy of this machine cannot be mounted: ${stderr?.trim()}`;
}
