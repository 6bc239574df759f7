import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Claude Code reads the address of its gateway from a file of the machine alone, which device management puts there. */
const SETTINGS = "claude-code/managed-settings.json";

const NAMESPACE = ["unshare", "--map-root-user", "--mount", "sh", "-c"];

/** `/etc` as it is, with what was put into another folder over it. Only the command sees it. */
const ENTER = `set -e
mount -t tmpfs tmpfs "$0/layer"
mkdir "$0/layer/etc" "$0/layer/work"
cp -r "$0/etc/." "$0/layer/etc/"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$0/layer/etc,workdir=$0/layer/work" /etc
exec "$@"`;

/** The words that run a command as on a machine whose people sign in at this gateway. */
export function managedMachine(folder: string, gatewayUrl: string): (...command: string[]) => string[] {
  mkdirSync(join(folder, "etc/claude-code"), { recursive: true });
  mkdirSync(join(folder, "layer"), { recursive: true });
  const settings = {
    forceLoginMethod: "gateway",
    forceLoginGatewayUrl: gatewayUrl,
    parentSettingsBehavior: "merge",
  };
  writeFileSync(join(folder, "etc", SETTINGS), JSON.stringify(settings));
  return (...command) => [...NAMESPACE, ENTER, folder, ...command];
}

/** Why no such machine can be had here; null when one can. */
export function whyNoMachine(folder: string): string | null {
  const [program = "", ...words] = managedMachine(folder, "http://127.0.0.1")("test", "-f", `/etc/${SETTINGS}`);
  const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
  return status === 0 ? null : `needs unshare with user namespaces and overlay mounts: ${(stderr ?? "").trim()}`;
}
