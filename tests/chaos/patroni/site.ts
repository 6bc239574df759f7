import { chmodSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { freePorts } from "./free-ports.ts";
import type { Programs } from "./install.ts";
import type { CreateLink, Link } from "./links.ts";
import type { Node } from "./node.ts";
import { poll } from "./poll.ts";
import { type Blocks, valueOf, withWords } from "./page-blocks.ts";
import { type Keeper, startPart } from "./part.ts";

/** Where a gateway runs: its links to the servers, and the haproxy and PgBouncer beside it. */
export type Site = {
  name: string;
  /** `DATABASE_URL` and what else a gateway here is started with. */
  environment: (route: RouteName, database: string) => Record<string, string>;
  /** Cuts the links between this site and some servers. */
  cutFrom: (nodes: readonly Node[]) => Promise<void>;
  /** Sends its pooler to one server, whatever the Patroni there says: what nobody fenced. */
  pin: (node: Node) => Promise<void>;
  /** Every server is seen again, and Patroni asked again. */
  restore: () => Promise<void>;
  close: () => Promise<void>;
};

/** How a gateway finds the server that takes writes. */
export type RouteName = "host list" | "PgBouncer";

type Links = { postgres: Link; rest: Link };

const START_TIMEOUT_MS = 30_000;

export async function startSite(options: {
  name: string;
  nodes: readonly Node[];
  blocks: Blocks;
  folder: string;
  programs: Programs;
  keeper: Keeper;
  createLink: CreateLink;
}): Promise<Site> {
  const { name, nodes, blocks, createLink } = options;
  await using parts = new AsyncDisposableStack();
  const links = new Map<Node, Links>();
  for (const node of nodes) {
    const postgres = await createLink(node.ports.postgres);
    const rest = await createLink(node.ports.rest);
    links.set(node, { postgres, rest });
  }
  const [haproxyPort = 0, pgbouncerPort = 0] = await freePorts(2);
  const haproxy = parts.adopt(await startHaproxy({ ...options, port: haproxyPort, links }), (it) => it.kill());
  const pgbouncer = await startPgbouncer({ ...options, port: pgbouncerPort, haproxyPort });
  parts.defer(() => pgbouncer.kill());

  const hosts = nodes.map((node) => `127.0.0.1:${links.get(node)?.postgres.port}`).join(",");
  const urlOf = (block: string, path: string, database: string): string =>
    valueOf(block, path)
      .replace("db1:5432,db2:5432,db3:5432", hosts)
      .replace("127.0.0.1:6432", `127.0.0.1:${pgbouncerPort}`)
      .replace(/tollgate$/, database);
  const kept = parts.move();
  return {
    name,
    environment: (route, database): Record<string, string> =>
      route === "host list"
        ? { DATABASE_URL: urlOf(blocks.hosts, "database.url", database) }
        : {
            DATABASE_URL: urlOf(blocks.pooled, "database.url", database),
            TOLLGATE_DATABASE_DIRECT_URL: urlOf(blocks.pooled, "database.direct_url", database),
          },
    cutFrom: async (cut) => {
      for (const node of cut) for (const link of Object.values(links.get(node) ?? {})) await link.cut();
    },
    pin: (node) => haproxy.pin(node),
    restore: async () => {
      for (const { postgres, rest } of links.values()) for (const link of [postgres, rest]) await link.heal();
      await haproxy.unpin();
    },
    close: () => kept.disposeAsync(),
  };
}

type Program = { folder: string; programs: Programs; keeper: Keeper; blocks: Blocks; name: string; port: number };

type Haproxy = {
  pin: (node: Node) => Promise<void>;
  unpin: () => Promise<void>;
  kill: () => Promise<void>;
};

async function startHaproxy({
  folder,
  programs,
  keeper,
  blocks,
  name,
  port,
  links,
}: Program & { links: ReadonlyMap<Node, Links> }): Promise<Haproxy> {
  const file = join(folder, `haproxy-${name}.cfg`);
  const write = (pinned: Node | null): void => {
    const servers = [...links].map(([node, { postgres, rest }]) => {
      const check = pinned === null ? `check port ${rest.port}` : node === pinned ? "" : "disabled";
      return [`server ${node.name} ${node.name}:5432 check port 8008`, server(node, postgres, check)];
    });
    writeFileSync(
      file,
      withWords(blocks.haproxy, { "127.0.0.1:5000": `127.0.0.1:${port}`, ...Object.fromEntries(servers) }),
    );
  };
  const server = (node: Node, { port: to }: Link, check: string): string =>
    `server ${node.name} 127.0.0.1:${to} ${check}`;
  const start = async () => {
    const args = ["-f", file, "-db"];
    const part = startPart({
      name: `haproxy-${name}`,
      folder,
      keeper,
      command: programs.haproxy,
      args,
      environment: programs.libraries,
    });
    await poll(() => accepts(port), `haproxy listens: ${part.log()}`, START_TIMEOUT_MS);
    return part;
  };
  write(null);
  let part = await start();
  let sentTo: Node | null = null;
  const restart = async (pinned: Node | null): Promise<void> => {
    if (pinned === sentTo) return;
    sentTo = pinned;
    await part.kill();
    write(pinned);
    part = await start();
  };
  return { pin: restart, unpin: () => restart(null), kill: () => part.kill() };
}

async function startPgbouncer({
  folder,
  programs,
  keeper,
  blocks,
  name,
  port,
  haproxyPort,
}: Program & { haproxyPort: number }) {
  const [, password = ""] = /tollgate:([^@]+)@/.exec(valueOf(blocks.pooled, "database.url")) ?? [];
  const users = join(folder, `userlist-${name}.txt`);
  writeFileSync(users, `"tollgate" "${password}"\n`);
  const file = join(folder, `pgbouncer-${name}.ini`);
  const text = withWords(blocks.pgbouncer, {
    "host=127.0.0.1 port=5000": `host=127.0.0.1 port=${haproxyPort}`,
    "listen_port = 6432": `listen_port = ${port}`,
    "/etc/pgbouncer/userlist.txt": users,
  });
  writeFileSync(file, text);
  for (const path of [users, file]) chmodSync(path, 0o644);
  const part = startPart({
    name: `pgbouncer-${name}`,
    folder,
    keeper,
    command: programs.pgbouncer,
    args: [file],
    environment: programs.libraries,
  });
  await poll(() => accepts(port), "PgBouncer listens", START_TIMEOUT_MS);
  return part;
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
