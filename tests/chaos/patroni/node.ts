import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Programs } from "./install.ts";
import type { CreateLink, Link } from "./links.ts";
import { withValues } from "./page-blocks.ts";
import { type Keeper, type Part, startPart } from "./part.ts";

/** A server with its Patroni, and the links by which the other servers and etcd are reached. */
export type Node = {
  name: string;
  /** Where it really listens; gateways have links of their own to here. */
  ports: { postgres: number; rest: number };
  start: () => void;
  /** Of Patroni alone. */
  signalPatroni: (name: "SIGSTOP" | "SIGCONT") => void;
  killPatroni: () => Promise<void>;
  killPostmaster: () => void;
  /** The id of the server's first process; null when there is none. */
  postmaster: () => number | null;
  /** Between it and everybody but the gateways. */
  cut: () => Promise<void>;
  heal: () => Promise<void>;
  /** What it says of itself over HTTP; null when it says nothing. */
  rest: (path: string) => Promise<{ status: number; body: unknown } | null>;
  log: () => string;
  close: () => Promise<void>;
};

export type NodeOptions = {
  block: string;
  name: string;
  ports: { postgres: number; rest: number };
  etcdPorts: readonly number[];
  folder: string;
  programs: Programs;
  keeper: Keeper;
  createLink: CreateLink;
};

export async function createNode(options: NodeOptions): Promise<Node> {
  const { name, ports, folder, programs, keeper, createLink } = options;
  const toPostgres = await createLink(ports.postgres);
  const toRest = await createLink(ports.rest);
  const toEtcd = await Promise.all(options.etcdPorts.map((port) => createLink(port)));
  const links = [toPostgres, toRest, ...toEtcd];
  const dataFolder = join(folder, name, "data");
  const file = join(folder, `patroni-${name}.yml`);
  writeFileSync(file, configuration({ ...options, toPostgres, toRest, toEtcd, dataFolder }));

  let patroni: Part | null = null;
  const killPatroni = async (): Promise<void> => {
    patroni?.signal("SIGCONT");
    await patroni?.kill();
  };
  const killPostmaster = (): void => {
    const pid = postmasterOf(dataFolder);
    if (pid !== null) process.kill(pid, "SIGKILL");
  };
  return {
    name,
    ports,
    start: () => {
      const { command, args, environment } = programs.patroni;
      patroni = startPart({ name, folder, keeper, command, args: [...args, file], environment });
    },
    signalPatroni: (signal) => patroni?.signal(signal),
    killPatroni,
    killPostmaster,
    postmaster: () => postmasterOf(dataFolder),
    cut: async () => void (await Promise.all(links.map((link) => link.cut()))),
    heal: async () => void (await Promise.all(links.map((link) => link.heal()))),
    rest: (path) => askRest(ports.rest, path),
    log: () => patroni?.log() ?? "",
    close: async () => {
      await killPatroni();
      try {
        killPostmaster();
      } catch {}
    },
  };
}

type Wiring = { toPostgres: Link; toRest: Link; toEtcd: readonly Link[]; dataFolder: string };

/** The file on the page, with the addresses of this run. There is no watchdog device here, and the links to etcd are not what etcd says it is reached by. */
function configuration(options: NodeOptions & Wiring): string {
  const { name, ports, toPostgres, toRest, toEtcd, dataFolder } = options;
  const text = withValues(options.block, {
    name,
    "restapi.listen": `127.0.0.1:${ports.rest}`,
    "restapi.connect_address": `127.0.0.1:${toRest.port}`,
    etcd3: { hosts: toEtcd.map(({ port }) => `127.0.0.1:${port}`), use_proxies: true },
    "postgresql.listen": `127.0.0.1:${ports.postgres}`,
    "postgresql.connect_address": `127.0.0.1:${toPostgres.port}`,
    "postgresql.data_dir": dataFolder,
    watchdog: { mode: "off" },
  });
  return text.replaceAll("10.0.0.0/24", "127.0.0.0/8");
}

async function askRest(port: number, path: string): Promise<{ status: number; body: unknown } | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(1_500) });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  } catch {
    return null;
  }
}

function postmasterOf(dataFolder: string): number | null {
  try {
    return Number(readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n")[0]) || null;
  } catch {
    return null;
  }
}
