import { createId } from "../../src/core/ids.ts";
import { sqlStateOf } from "../../src/db/database-error.ts";
import type { Database } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask, Settlement } from "../../src/ledger/ledger.ts";
import { createStructureStore } from "../../src/ledger/structure/structure-store.ts";
import type { Changed } from "../../src/ledger/structure/structure.ts";

export type StormReport = {
  keys: number;
  admitted: number;
  stale: number;
  refused: number;
  /** Of calls that the database ended: deadlocks and whatever else. */
  failures: string[];
  /** How long each change took until every key knew it, in milliseconds. */
  changesMs: number[];
  /** The slowest turns of requests, in milliseconds: the hundredth part and the worst. */
  turnP99Ms: number;
  turnMaxMs: number;
  turnP99QuietMs: number;
};

const BATCH = 32;
const CREDIT = 1_000_000_000n;

type Known = {
  keyId: string;
  version: bigint;
  chain: number;
  counters: number[] | null;
  credits: boolean;
  tokens: boolean;
};

/** An organisation with ten teams and so many keys; its purse pays for all. */
async function createTree(database: Database, keys: number) {
  const structure = createStructureStore(database);
  const root = createId(Date.now());
  await structure.openAccount({ id: root, parentId: null, name: `Acme ${root}`, kind: "organisation", bucket: 7 });
  const teams: string[] = [];
  for (let team = 0; team < 10; team++) {
    const id = createId(Date.now());
    await structure.openAccount({ id, parentId: root, name: `Team ${team}`, kind: "team", bucket: 7 });
    teams.push(id);
  }
  const ids = Array.from({ length: keys }, () => createId(Date.now()));
  for (let from = 0; from < keys; from += 500)
    await database.query(
      `insert into key (id, bucket, mode, account_id)
       select i, 7, 'credit', ($2::uuid[])[1 + n % 10] from unnest($1::uuid[]) with ordinality q (i, n)`,
      [ids.slice(from, from + 500), teams],
    );
  const { counter } = await structure.openCounter({
    accountId: root,
    kind: "purse",
    unit: "credit",
    amount: 0n,
    period: "none",
    models: null,
    actor: "t",
  });
  await database.query("select fund_v1($1, 'first', 'grant', $2, 't')", [counter, 1_000_000n * CREDIT]);
  while (await structure.rechain());
  return { structure, root, teams, ids, purse: Number(counter) };
}

/** Changes above many keys while these are in use: `connections` workers admit and settle until the changes are done. */
export async function rechainStorm(
  database: Database,
  { keys, connections, rounds }: { keys: number; connections: number; rounds: number },
) {
  const tree = await createTree(database, keys);
  const ledger = createLedgerStore(database);
  const report: StormReport = {
    keys,
    admitted: 0,
    stale: 0,
    refused: 0,
    failures: [],
    changesMs: [],
    turnP99Ms: 0,
    turnMaxMs: 0,
    turnP99QuietMs: 0,
  };
  const known = new Map<string, Known>();
  const phase = { busy: false, over: false };
  const turns: Record<"quiet" | "busy", number[]> = { quiet: [], busy: [] };

  const learn = async (ids: readonly string[]): Promise<void> => {
    const rows = await database.query<Known>(
      `select b.key_id as "keyId", b.version, b.chain, b.counters, exists (select from counter c where c.id = any (b.counters) and c.unit = 'credit') as credits,
              exists (select from counter c where c.id = any (b.counters) and c.unit = 'tokens') as tokens
         from balance b where b.key_id = any ($1::uuid[])`,
      [ids],
    );
    for (const row of rows) known.set(row.keyId, row);
  };

  async function worker(): Promise<void> {
    const processId = createId(Date.now());
    await ledger.heartbeat(processId);
    let settlements: Settlement[] = [];
    while (!phase.over || settlements.length > 0) {
      const picked = phase.over
        ? []
        : Array.from({ length: BATCH }, () => tree.ids[Math.floor(Math.random() * keys)] ?? "");
      await learn(picked.filter((id) => !known.has(id)));
      const asks = picked.flatMap((keyId) => askOf(known.get(keyId)));
      const began = performance.now();
      const kind = phase.busy ? "busy" : "quiet";
      try {
        const { verdicts } = await ledger.turn(processId, { settlements, asks });
        turns[kind].push(performance.now() - began);
        settlements = asks.flatMap((ask, place) => {
          const verdict = verdicts[place]?.kind;
          if (verdict === "stale_key") known.delete(ask.keyId);
          if (verdict === "admitted") report.admitted++;
          else if (verdict === "stale_key") report.stale++;
          else report.refused++;
          return verdict === "admitted" ? [settlementOf(ask)] : [];
        });
      } catch (error) {
        report.failures.push(`turn: ${sqlStateOf(error) ?? String(error)}`);
        if (phase.over) return;
      }
    }
  }

  async function change(made: Promise<Changed>): Promise<Changed> {
    const began = performance.now();
    const done = await made.catch((error: unknown) => {
      report.failures.push(`change: ${sqlStateOf(error) ?? String(error)}`);
      throw error;
    });
    for (;;) {
      try {
        if (!(await tree.structure.rechain())) break;
      } catch (error) {
        report.failures.push(`rechain: ${sqlStateOf(error) ?? String(error)}`);
      }
    }
    report.changesMs.push(performance.now() - began);
    return done;
  }

  const workers = Array.from({ length: connections }, worker);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  phase.busy = true;
  const { structure, root, teams, purse } = tree;
  const limit = { kind: "limit", amount: 900_000n * CREDIT, period: "month", models: null, actor: "t" } as const;
  for (let round = 0; round < rounds; round++) {
    const [on, below] = await Promise.all([
      change(structure.openCounter({ accountId: root, unit: "credit", ...limit })),
      change(structure.openCounter({ accountId: teams[round % 5] ?? "", unit: "credit", ...limit, period: "day" })),
    ]);
    await Promise.all([
      change(structure.changeAccount(teams[9] ?? "", { parentId: teams[round % 5] ?? "" })),
      change(structure.setStatus(teams[8] ?? "", "suspended")),
    ]);
    await Promise.all([
      change(structure.closeCounter(on.counter ?? 0)),
      change(structure.changeAccount(teams[9] ?? "", { parentId: root })),
      change(structure.setStatus(teams[8] ?? "", "active")),
    ]);
    await change(structure.closeCounter(below.counter ?? 0));
  }
  phase.over = true;
  await Promise.all(workers);
  report.turnP99Ms = percentile(turns.busy, 0.99);
  report.turnMaxMs = percentile(turns.busy, 1);
  report.turnP99QuietMs = percentile(turns.quiet, 0.99);
  return { report, purse };
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? 0;

function askOf(key: Known | undefined): Ask[] {
  if (key === undefined) return [];
  const pair = (amount: bigint) => ({ credits: key.credits ? amount : null, tokens: key.tokens ? amount : null });
  return [
    {
      id: createId(Date.now()),
      bucket: 7,
      keyId: key.keyId,
      keyVersion: Number(key.version),
      chain: { id: key.chain, counters: key.counters ?? [] },
      rpmLimit: null,
      least: pair(1n),
      most: pair(10n),
      unlimited: false,
      model: "m",
      priceVersion: 1,
      lifetimeMs: 300_000,
      claim: null,
    },
  ];
}

const USAGE = {
  inputTokens: 1,
  outputTokens: 2,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
  toolCalls: {},
};

const settlementOf = ({ id, bucket, keyId, chain, most }: Ask): Settlement =>
  ({
    id,
    bucket,
    keyId,
    chain,
    outcome: "completed",
    price: { credits: most.credits === null ? null : 3n, tokens: null },
    usage: USAGE,
    digest: null,
    contentDelivered: true,
    record: null,
    answer: null,
    absorbed: { credits: null, tokens: null },
    waived: { credits: null, tokens: null },
    capPerHour: 1_000_000n,
    accountCapPerHour: 1_000_000n,
  }) as unknown as Settlement;

/** What must hold when all is over: every key has the chain of its place, nothing is held, and the purse has paid every charge. */
export const STORM_CHECKS = {
  wrongChains: `select count(*)::int as n from balance b join chain_due d on d.key_id = b.key_id join chain h on h.id = b.chain
                 where (h.accounts, h.own, h.counters) is distinct from (d.accounts, d.own, d.counters)`,
  wrongVersions: "select count(*)::int as n from balance b join key k on k.id = b.key_id where k.version <> b.version",
  owed: "select count(*)::int as n from rechain_owed",
  held: "select (select count(*) from hold)::int + (select coalesce(sum(held), 0) from counter_anywhere)::int as n",
  unpaid: `select (abs((select coalesce(sum(c.credits), 0) from charge c) - (select sum(used) from counter where kind = 'purse')))::int as n`,
  elsewhere: `select count(*)::int as n from charge c join chain h on h.id = c.chain
               where not exists (select from counter k where k.id = any (h.counters) and k.kind = 'purse')`,
} as const;
