import { isObject } from "../../../src/core/bytes/is-object.ts";

import { withClient } from "../ledger/read-ledger.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { freePorts } from "./free-ports.ts";
import type { Programs } from "./install.ts";
import type { CreateLink } from "./links.ts";
import { createNode, type Node } from "./node.ts";
import { poll } from "./poll.ts";
import { type Blocks, valueOf, withWords } from "./page-blocks.ts";
import type { Keeper } from "./part.ts";

export type Mode = { synchronous: boolean; failsafe: boolean };

/** Three servers under Patroni. */
export type Cluster = {
  nodes: readonly Node[];
  etcd: Etcd;
  /** The server whose Patroni holds the lock, as it says itself; null when none does. */
  leader: () => Promise<Node | null>;
  /** Waits until another server than this one leads. */
  leaderOtherThan: (old: Node, timeoutMs?: number) => Promise<Node>;
  /** Waits for something that the servers take their time over. */
  wait: (condition: () => Promise<boolean>, what: string) => Promise<void>;
  /** Waits until one leads and the other two stream from it, one of them synchronously if that is the mode; how long it took. */
  settled: (timeoutMs?: number) => Promise<number>;
  configure: (mode: Mode) => Promise<void>;
  switchover: (from: Node) => Promise<void>;
  superuserUrl: (node: Node, database?: string) => string;
  /** For the gateways' role, empty or as a copy. */
  createDatabase: (database: { name: string; template?: string }) => Promise<void>;
  close: () => Promise<void>;
};

type Member = { name: string; role: string; state: string; lag?: number | string };

const NAMES = ["db1", "db2", "db3"];
const START_TIMEOUT_MS = 300_000;
const ELECTION_TIMEOUT_MS = 120_000;

export async function startCluster(options: {
  blocks: Blocks;
  folder: string;
  programs: Programs;
  keeper: Keeper;
  createLink: CreateLink;
}): Promise<Cluster> {
  const { blocks, folder, programs, keeper, createLink } = options;
  await using parts = new AsyncDisposableStack();
  const etcd = parts.adopt(await startEtcd({ ...options, block: blocks.etcd }), (it) => it.close());
  const postgres = await freePorts(NAMES.length);
  const rest = await freePorts(NAMES.length);
  const superuser = valueOf(blocks.patroni, "postgresql.authentication.superuser.password");
  const nodes = await Promise.all(
    NAMES.map((name, index) =>
      createNode({
        block: blocks.patroni,
        name,
        ports: { postgres: postgres[index] ?? 0, rest: rest[index] ?? 0 },
        etcdPorts: etcd.ports,
        folder,
        programs,
        keeper,
        createLink,
      }),
    ),
  );
  parts.defer(async () => void (await Promise.all(nodes.map((node) => node.close()))));
  let mode: Mode = { synchronous: true, failsafe: true };

  const leads = async (node: Node): Promise<boolean> => (await node.rest("/primary"))?.status === 200;
  const leader = async (): Promise<Node | null> => {
    const answers = await Promise.all(nodes.map(leads));
    return nodes.find((_, index) => answers[index]) ?? null;
  };
  const settled = async (timeoutMs = START_TIMEOUT_MS): Promise<number> => {
    const startedMs = performance.now();
    await poll(
      async () => isSettled(await membersOf(await leader()), mode),
      "one server leads and two stream",
      timeoutMs,
    );
    return performance.now() - startedMs;
  };
  const superuserUrl = (node: Node, database = "postgres"): string =>
    `postgres://postgres:${superuser}@127.0.0.1:${node.ports.postgres}/${database}`;
  const askLeader = async (sql: string): Promise<void> => {
    const node = await leader();
    if (node === null) throw new Error("no server leads");
    await withClient(superuserUrl(node), (client) => client.query(sql));
  };

  for (const node of nodes) node.start();
  await settled();
  const [forDatabase = "", ...forRole] = statementsOf(blocks.sql);
  for (const statement of forRole) await askLeader(statement);
  const kept = parts.move();
  return {
    nodes,
    etcd,
    leader,
    leaderOtherThan: async (old, timeoutMs = ELECTION_TIMEOUT_MS) => {
      const others = nodes.filter((node) => node !== old);
      let found: Node | null = null;
      const look = async (): Promise<boolean> => {
        const answers = await Promise.all(others.map(leads));
        found = others.find((_, index) => answers[index]) ?? null;
        return found !== null;
      };
      await poll(look, "another server leads", timeoutMs);
      return found as unknown as Node;
    },
    wait: (condition, what) => poll(condition, what, ELECTION_TIMEOUT_MS),
    settled,
    configure: async (wanted) => {
      const node = await leader();
      if (node === null) throw new Error("no server leads");
      await patch(node, { synchronous_mode: wanted.synchronous, failsafe_mode: wanted.failsafe });
      mode = wanted;
      await settled();
      const waits = async (): Promise<boolean> => {
        const sql = "select current_setting('synchronous_standby_names') <> '' as waits";
        const { rows } = await withClient(superuserUrl(node), (client) => client.query<{ waits: boolean }>(sql));
        return rows[0]?.waits === wanted.synchronous;
      };
      await poll(waits, "the leader waits for a standby, or no longer does", START_TIMEOUT_MS);
      await poll(() => appliedOn(nodes, wanted), "every server has the configuration", START_TIMEOUT_MS);
    },
    switchover: async (from) => {
      const answer = await fetch(`http://127.0.0.1:${from.ports.rest}/switchover`, {
        method: "POST",
        body: JSON.stringify({ leader: from.name }),
      });
      if (!answer.ok) throw new Error(`switchover: ${answer.status} ${await answer.text()}`);
      await answer.text();
    },
    superuserUrl,
    createDatabase: ({ name, template = "template1" }) =>
      askLeader(
        `${withWords(forDatabase, { "create database tollgate": `create database ${name}` })} template ${template}`,
      ),
    close: () => kept.disposeAsync(),
  };
}

/** That which makes the database first. */
function statementsOf(sql: string): string[] {
  const statements = sql
    .split(";")
    .map((text) => text.trim())
    .filter(Boolean);
  const first = (text: string): number => (text.startsWith("create database") ? 0 : 1);
  return statements.toSorted((one, two) => first(one) - first(two));
}

async function membersOf(leader: Node | null): Promise<Member[]> {
  const answer = await leader?.rest("/cluster");
  return (answer?.body as { members?: Member[] } | undefined)?.members ?? [];
}

function isSettled(members: readonly Member[], { synchronous }: Mode): boolean {
  const followers = members.filter(({ role, state }) => role !== "leader" && state === "streaming");
  return followers.length === 2 && followers.some(({ role }) => role === "sync_standby") === synchronous;
}

/** Changes the configuration that all servers share. */
async function patch(node: Node, values: Record<string, unknown>): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${node.ports.rest}/config`, {
    method: "PATCH",
    body: JSON.stringify(values),
  });
  if (!answer.ok) throw new Error(`the configuration was not taken: ${answer.status} ${await answer.text()}`);
  await answer.text();
}

/** Each Patroni reads the configuration in its own turn; in failsafe mode it knows the members that it would ask. */
async function appliedOn(nodes: readonly Node[], { synchronous, failsafe }: Mode): Promise<boolean> {
  const applied = await Promise.all(
    nodes.map(async (node) => {
      const config = (await node.rest("/config"))?.body as Record<string, unknown> | undefined;
      const members = (await node.rest("/failsafe"))?.body;
      const known = failsafe ? isObject(members) && Object.keys(members).length === nodes.length : true;
      return known && config?.["failsafe_mode"] === failsafe && config["synchronous_mode"] === synchronous;
    }),
  );
  return applied.every(Boolean);
}
