import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { ownerOf } from "./run-owner.ts";
import { waitingFor } from "./time-spent.ts";
import { binariesOf, type PostgresVersion, serverFolder, unprivileged } from "./postgres-binaries.ts";

const run = promisify(execFile);
/** A bound for what hangs. */
const START_TIMEOUT_MS = 300_000;
const START_ATTEMPTS = 3;
/** A program that measures or drills has servers as they are installed. */
const IN_TESTS = process.env["VITEST"] !== undefined;

export type Cluster = {
  port: number;
  dataFolder: string;
  binFolder: string;
  superuserUrl: string;
  url: (database?: string) => string;
  urlAs: (role: string, database: string) => string;
  /** Of the postmaster, for signals; null while stopped. */
  pid: () => number | null;
  /** `fast` is an orderly end, `immediate` is a crash. */
  stop: (options?: { mode?: "fast" | "immediate" }) => Promise<void>;
  start: () => Promise<void>;
  /** Stops the server and removes its files. */
  close: () => Promise<void>;
};

export type ClusterOptions = {
  version?: PostgresVersion;
  /** Lines of postgresql.conf, such as `{ max_connections: 20 }`. */
  settings?: Readonly<Record<string, string | number>>;
  /** False turns fsync off: faster, and of no use to a test of crashes. */
  durable?: boolean;
  /** The server ends when this process does; this one, unless told otherwise. */
  ownerPid?: number;
  /** A folder that goes when the owner does. */
  alsoRemove?: string;
  /** A system identifier that no other server has. The others of a run of tests are copies, and have one in common. */
  unlike?: boolean;
  /** Fills the empty data folder instead of initdb, as pg_basebackup does. */
  fill?: (target: Target) => Promise<void>;
};

type Target = { dataFolder: string; binFolder: string };

/** A server of its own on a free port of the loopback interface. */
export const startCluster = (options: ClusterOptions = {}): Promise<Cluster> =>
  waitingFor("PostgreSQL", () => makeCluster(options));

async function makeCluster(options: ClusterOptions): Promise<Cluster> {
  const { version = "15", settings = {}, durable = true, ownerPid = process.pid } = options;
  const folder = await serverFolder(version);
  const dataFolder = join(folder, "data");
  const watchdog = watch(ownerPid, options.alsoRemove === undefined ? [folder] : [folder, options.alsoRemove]);
  try {
    const binFolder = await binariesOf(version, folder);
    const copied = IN_TESTS && options.unlike !== true ? (to: Target) => copyInitialised(to, version) : initialise;
    await (options.fill ?? copied)({ dataFolder, binFolder });
    await appendFile(join(dataFolder, "postgresql.conf"), configuration({ folder, settings, durable }));
    return await startOnFreePort({ folder, dataFolder, binFolder, watchdog });
  } catch (error) {
    watchdog.kill();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Runs a program of PostgreSQL as the user its servers run as. */
export async function runAsServer(command: string, args: readonly string[]): Promise<void> {
  await run(...unprivileged(command, args), { cwd: "/" });
}

async function startOnFreePort(place: {
  folder: string;
  dataFolder: string;
  binFolder: string;
  watchdog: ChildProcess;
}) {
  for (let attempt = 1; ; attempt += 1) {
    const server = createPostmaster({ ...place, port: await freePort() });
    try {
      await server.start();
      return describeCluster({ ...place, server });
    } catch (error) {
      // Somebody else may have taken the port between our look and the server's start.
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}

type Postmaster = ReturnType<typeof createPostmaster>;

function describeCluster(parts: {
  folder: string;
  dataFolder: string;
  binFolder: string;
  watchdog: ChildProcess;
  server: Postmaster;
}): Cluster {
  const { folder, dataFolder, binFolder, watchdog, server } = parts;
  const urlAs = (role: string, database: string) => `postgres://${role}@127.0.0.1:${server.port}/${database}`;
  return {
    port: server.port,
    dataFolder,
    binFolder,
    superuserUrl: urlAs("postgres", "postgres"),
    url: (database = "postgres") => urlAs("postgres", database),
    urlAs,
    pid: server.pid,
    start: server.start,
    stop: ({ mode = "fast" } = {}) => server.stop(mode),
    close: async () => {
      await server.stop("immediate");
      watchdog.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function createPostmaster(place: { folder: string; dataFolder: string; binFolder: string; port: number }) {
  const { folder, dataFolder, binFolder, port } = place;
  let child: ChildProcess | null = null;
  let exited: Promise<void> = Promise.resolve();

  const stop = async (mode: "fast" | "immediate"): Promise<void> => {
    // It must not keep the process alive while it runs, but its end is waited for.
    child?.ref();
    child?.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await exited;
  };

  const start = async (): Promise<void> => {
    if (child) return;
    await using log = await open(join(folder, "log"), "a");
    const [command, args] = unprivileged(join(binFolder, "postgres"), ["-D", dataFolder, "-p", String(port)]);
    // Detached, so that an interrupt meant for the tests does not reach the server before the tests are done with it.
    const started = spawn(command, args, { cwd: "/", stdio: ["ignore", log.fd, log.fd], detached: true });
    started.unref();
    child = started;
    exited = new Promise((resolve) => {
      started.once("exit", () => {
        child = null;
        resolve();
      });
    });
    await ready();
  };

  const ready = async (): Promise<void> => {
    for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until; await delay(15)) {
      if (!child) throw new Error(`PostgreSQL did not start: ${await readFile(join(folder, "log"), "utf8")}`);
      const status = await readFile(join(dataFolder, "postmaster.pid"), "utf8").catch(() => "");
      const lines = status.split("\n");
      if (Number(lines[0]) === child.pid && /^(ready|standby)/.test(lines[7] ?? "")) return;
    }
    await stop("immediate");
    throw new Error(`PostgreSQL was not ready within ${START_TIMEOUT_MS} ms`);
  };

  return { port, start, stop, pid: () => child?.pid ?? null };
}

/** initdb takes a second of processor time, a copy of what it made a twentieth. The first of a run to come makes it. */
async function copyInitialised({ dataFolder, binFolder }: Target, version: PostgresVersion): Promise<void> {
  const folder = await serverFolder(version);
  const made = join(dirname(folder), `tollgate-initialised-${ownerOf()}-${version}`);
  try {
    if (!existsSync(made)) {
      await initialise({ dataFolder: join(folder, "data"), binFolder });
      watch(ownerOf(), [made]);
      // Under its name it is whole. Another process may have been quicker.
      await rename(folder, made).catch(() => undefined);
    }
    await runAsServer("cp", ["-a", join(made, "data"), dataFolder]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function initialise({ dataFolder, binFolder }: Target): Promise<void> {
  const args = ["-D", dataFolder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await runAsServer(join(binFolder, "initdb"), args);
}

function configuration(options: {
  folder: string;
  settings: Readonly<Record<string, string | number>>;
  durable: boolean;
}): string {
  const fast = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "off", jit: "off" };
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: options.folder,
    // Several files of tests share a server, and one of them alone may open a hundred.
    max_connections: 300,
    shared_buffers: "32MB",
    log_min_messages: "warning",
    ...(options.durable ? {} : fast),
    ...options.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'`);
  return `\n${lines.join("\n")}\n`;
}

/**
 * Ends the server and removes its folder once the owner is gone, however it went: exit hooks do not run on SIGKILL. The
 * postmaster is found by the pid file in the folder.
 */
function watch(ownerPid: number, folders: readonly string[]): ChildProcess {
  const script = `
    owner=$1; shift
    while kill -0 "$owner" 2>/dev/null; do sleep 2; done
    pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" 2>/dev/null
    while [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    rm -rf "$@"`;
  const child = spawn("sh", ["-c", script, "watchdog", String(ownerPid), ...folders], {
    stdio: "ignore",
    detached: true,
  });
  child.unref();
  return child;
}
