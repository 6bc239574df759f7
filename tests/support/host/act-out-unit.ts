import { spawnSync } from "node:child_process";
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseEnvironment, readUnit, type UnitFile } from "./unit-file.ts";

/**
 * Does by hand what systemd does with our units, where systemd is not the first process: `systemctl` of a copied machine. It
 * honours the folder, the user, the variables, the credentials, the order, and the read-only file system with its private
 * /tmp and /proc. It knows no system call filter and starts nothing anew.
 */
const UNITS = "/etc/systemd/system";
const PIDS = "/run/acted";
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const fileOf = (unit: string): string => join(UNITS, unit);
const fullName = (word: string): string => (word.includes(".") ? word : `${word}.service`);

function idsOf(user: string): { uid: number; gid: number } {
  const [, uid, gid] = new RegExp(`^${user}:[^:]*:(\\d+):(\\d+):`, "m").exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`there is no user ${user}`);
  return { uid: Number(uid), gid: Number(gid) };
}

/** Copies of the credentials that only the service's user can read; the folder is what `%d` stands for. */
function loadCredentials(unit: UnitFile, name: string, ids: { uid: number; gid: number }): string {
  const folder = `/run/credentials/${name}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [id = "", source = ""] of unit.all("LoadCredential").map((value) => value.split(":"))) {
    const copy = join(folder, id);
    copyFileSync(source, copy);
    chmodSync(copy, 0o400);
    chownSync(copy, ids.uid, ids.gid);
  }
  chownSync(folder, ids.uid, ids.gid);
  chmodSync(folder, 0o500);
  return folder;
}

function environmentOf(unit: UnitFile, credentials: string): Record<string, string> {
  const own = unit.all("Environment").map((pair) => pair.replaceAll("%d", credentials));
  const files = unit.all("EnvironmentFile").map((path) => path.replace(/^-/, ""));
  const read = files.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8"));
  return { PATH, ...parseEnvironment(own.join("\n")), ...parseEnvironment(read.join("\n")) };
}

/** The command line of the unit, as its user, with its variables, on a file system it cannot write to. */
function commandOf(name: string) {
  const unit = readUnit(fileOf(name));
  const ids = idsOf(unit.last("User"));
  const environment = environmentOf(unit, loadCredentials(unit, name, ids));
  const line = unit.last("ExecStart").replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => environment[variable] ?? "");
  const mounts = [
    "mount -o remount,bind,ro /",
    "mount -t tmpfs -o ro,mode=000 tmpfs /root",
    "mount -t tmpfs -o mode=1777 tmpfs /tmp",
    `mount -t proc -o hidepid=invisible,subset=${unit.last("ProcSubset")} proc /proc`,
  ];
  const drop = `setpriv --reuid=${ids.uid} --regid=${ids.gid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all`;
  const script = [
    ...mounts,
    `cd ${unit.last("WorkingDirectory")}`,
    `umask ${unit.last("UMask")}`,
    `exec ${drop} ${line}`,
  ];
  return { unit, environment, words: ["--mount", "sh", "-ec", script.join("\n")] };
}

function start(name: string): void {
  const unit = readUnit(fileOf(name));
  const ordered = new Set(unit.all("After").flatMap((value) => value.split(" ")));
  const wanted = [...unit.all("Wants"), ...unit.all("Requires")].flatMap((value) => value.split(" "));
  for (const other of wanted) if (ordered.has(other) && existsSync(fileOf(other))) start(other);
  const { environment, words } = commandOf(name);
  const log = openSync(`/var/log/${name}.log`, "a");
  if (unit.last("Type") === "oneshot") {
    const { status } = spawnSync("unshare", words, { env: environment, stdio: ["ignore", log, log] });
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${readFileSync(`/var/log/${name}.log`, "utf8")}`);
    return;
  }
  const child = spawn("unshare", words, { env: environment, stdio: ["ignore", log, log], detached: true });
  mkdirSync(PIDS, { recursive: true });
  writeFileSync(join(PIDS, name), `${child.pid}`);
  awaitExec(child.pid);
  child.unref();
}

/** Waits as `Type=exec` does, until the process is the unit's own program and no longer one that leads there as root. */
function awaitExec(pid: number | undefined): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (/\/(unshare|setpriv|\w*sh)$/.test(readlinkSync(`/proc/${pid}/exe`))) Atomics.wait(pause, 0, 0, 10);
}

/** Signals the main process alone and waits for its end, as KillMode=mixed does. */
function stop(name: string): void {
  const unit = readUnit(fileOf(name));
  const pid = readFileSync(join(PIDS, name), "utf8");
  const words = [`-${unit.last("KillSignal")}`, pid];
  spawnSync("kill", words);
  const { status } = spawnSync("timeout", [unit.last("TimeoutStopSec"), "tail", `--pid=${pid}`, "-f", "/dev/null"]);
  if (status !== 0) throw new Error(`${name} still runs after ${unit.last("TimeoutStopSec")} s`);
}

// That of the first process, whatever the shell has.
process.umask(0o022);
const [verb, ...words] = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith("-")).map(fullName);
if (verb === "enable" || verb === "start") names.forEach(start);
else if (verb === "stop") names.forEach(stop);
else if (verb === "restart") names.forEach((name) => (stop(name), start(name)));
else if (verb !== "daemon-reload") throw new Error(`systemctl ${verb} is not acted out`);
