import { createId } from "../../../src/core/ids.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { sqlStateOf } from "../../../src/db/database-error.ts";
import type { Database } from "../../../src/db/database.ts";
import { createLedgerStore } from "../../../src/ledger/turn/ledger-store.ts";
import type { Ask, BatchVerdict, Lack, Ledger, Settlement } from "../../../src/ledger/ledger.ts";
import { findWrong } from "./fold.ts";
import { type Member, plantTree, readMembers, type Tree, type TreeShape } from "./tree.ts";

export type StormOptions = {
  /** As many as there are gateways, each with connections of its own. */
  gateways: readonly Database[];
  /** Changes the tree, turns periods and looks at the books meanwhile. */
  nemesis: Database;
  shape: TreeShape;
  /** So many requests are admitted in all. */
  holds: number;
  seed: number;
  onProgress?: (told: { holds: number; turns: number; changes: number }) => void;
};

export type StormReport = {
  holds: number;
  refusals: number;
  stale: number;
  settled: number;
  voided: number;
  changes: Record<string, number>;
  /** The database chose one of two calls that waited for each other. A batcher would repeat it. */
  deadlocks: number;
  /** What no instant may show. */
  violations: unknown[];
};

const NOTHING = { credits: null, tokens: null };
const MODELS = ["small", "large"] as const;

/** Random requests of many keys, while teams move, limits change, days end, and whole organisations hear of it. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const { gateways, nemesis, holds, onProgress } = options;
  const random = seeded(options.seed);
  const tree = await plantTree(nemesis, options.shape);
  const report: StormReport = {
    holds: 0,
    refusals: 0,
    stale: 0,
    settled: 0,
    voided: 0,
    changes: {},
    deadlocks: 0,
    violations: [],
  };
  let over = false;
  let turns = 0;
  const progress = setInterval(
    () =>
      onProgress?.({
        holds: report.holds,
        turns,
        changes: Object.values(report.changes).reduce((sum, count) => sum + count, 0),
      }),
    5_000,
  ).unref();
  const changing = changeTree(nemesis, { tree, random, report, isOver: () => over });
  const looking = lookAtBooks(nemesis, report, () => over);
  await Promise.all(
    gateways.map(async (database) => {
      const gateway = await openGateway(database, { tree, random, report });
      while (report.holds < holds && report.violations.length === 0) {
        await gateway.turn();
        turns++;
      }
      await gateway.rest();
    }),
  );
  over = true;
  clearInterval(progress);
  await Promise.all([changing, looking]);
  report.violations.push(...(await findWrong(nemesis)));
  const [left] = await nemesis.query<{ open: bigint }>("select count(*) as open from hold");
  if (left?.open !== 0n) report.violations.push({ what: "holds that nobody ended", open: left?.open });
  return report;
}

type Shared = { tree: Tree; random: () => number; report: StormReport };
type Open = { ask: Ask; granted: { credits: bigint | null; tokens: bigint | null } };

async function openGateway(database: Database, { tree, random, report }: Shared) {
  const ledger = createLedgerStore(database);
  const processId = createId(Date.now());
  await ledger.heartbeat(processId);
  const known = new Map<string, Member>();
  let open: Open[] = [];

  async function refresh(keyIds: readonly string[]): Promise<void> {
    for (const member of await readMembers(database, keyIds)) known.set(member.keyId, member);
  }
  await refresh(tree.keyIds);

  async function turn(): Promise<void> {
    const ending = open.filter(() => random() < 0.7);
    open = open.filter((one) => !ending.includes(one));
    const undone = ending.filter(() => random() < 0.05);
    const settlements = ending.filter((one) => !undone.includes(one)).map((one) => settlementOf(one, random));
    const asks = Array.from({ length: 1 + Math.floor(random() * 64) }, () =>
      askOf(pick([...known.values()], random), random),
    );
    const { settled, verdicts } = await patiently(ledger, processId, { settlements, asks }, report);
    for (const one of settled)
      if (one.kind !== "settled" && one.kind !== "already") report.violations.push({ what: "fenced", one });
    report.settled += settled.length;
    if (undone.length > 0) {
      await ledger.void(undone.map(({ ask }) => ({ id: ask.id, bucket: ask.bucket, keyId: ask.keyId })));
      report.voided += undone.length;
    }
    const stale = new Set<string>();
    for (const [index, ask] of asks.entries()) {
      const verdict = verdicts[index];
      if (verdict === undefined) continue;
      if (verdict.kind === "admitted" || verdict.kind === "already") open.push({ ask, granted: verdict.granted });
      if (verdict.kind === "stale_key") stale.add(ask.keyId);
      count(verdict, ask, report);
    }
    if (stale.size > 0) await refresh([...stale]);
  }

  return {
    turn,
    /** Ends all that is open. */
    rest: async (): Promise<void> => {
      const settlements = open.map((one) => settlementOf(one, random));
      open = [];
      await patiently(ledger, processId, { settlements, asks: [] }, report);
      report.settled += settlements.length;
    },
  };
}

function count(verdict: BatchVerdict, ask: Ask, report: StormReport): void {
  if (verdict.kind === "admitted") report.holds++;
  else if (verdict.kind === "stale_key") report.stale++;
  else if (verdict.kind === "insufficient" || verdict.kind === "reserved" || verdict.kind === "limit_reached") {
    report.refusals++;
    if (!isTrue(verdict, ask)) report.violations.push({ what: "a refusal that contradicts itself", verdict, ask });
  }
}

/** Whether the numbers of a refusal are its reason. */
function isTrue({ kind, named, posted, available }: Lack & { kind: string }, { least }: Ask): boolean {
  const needed = named.unit === "credit" ? least.credits : least.tokens;
  const [smallest, free] =
    named.unit === "credit" ? [posted.credits, available.credits] : [posted.tokens, available.tokens];
  if (needed === null || smallest === null || free === null) return false;
  if (smallest > named.posted || free > named.available || named.available > named.posted) return false;
  return kind === "reserved" ? needed <= named.posted && needed > named.available : needed > named.posted;
}

/** A turn that lost against another is repeated, as a batcher repeats it. */
async function patiently(ledger: Ledger, processId: string, turn: Parameters<Ledger["turn"]>[1], report: StormReport) {
  for (;;) {
    try {
      return await ledger.turn(processId, turn);
    } catch (error) {
      if (sqlStateOf(error) !== "40P01") throw error;
      report.deadlocks++;
    }
  }
}

function askOf({ keyId, version, chain, units }: Member, random: () => number): Ask {
  const amount = (least: number, most: number) => ({ least: BigInt(least), most: BigInt(most) });
  const credits = amount(1 + Math.floor(random() * 40), 40 + Math.floor(random() * 100));
  const tokens = amount(1 + Math.floor(random() * 40), 40 + Math.floor(random() * 100));
  return {
    id: createId(Date.now()),
    bucket: 7,
    keyId,
    keyVersion: version,
    chain,
    rpmLimit: random() < 0.02 ? 1_000 : null,
    least: { credits: units.credits ? credits.least : null, tokens: units.tokens ? tokens.least : null },
    most: { credits: units.credits ? credits.most : null, tokens: units.tokens ? tokens.most : null },
    unlimited: random() < 0.5,
    model: pick(MODELS, random),
    priceVersion: 1,
    lifetimeMs: 600_000,
    claim: null,
  };
}

function settlementOf({ ask, granted }: Open, random: () => number): Settlement {
  // One in twenty costs more than was set aside.
  const share = random() < 0.05 ? 1.5 : random();
  const cost = (amount: bigint | null): bigint | null =>
    amount === null ? null : BigInt(Math.floor(Number(amount) * share));
  const outcome = random() < 0.8 ? "completed" : random() < 0.5 ? "client_gone" : "upstream_failed";
  const price = { credits: cost(granted.credits), tokens: cost(granted.tokens) };
  return {
    id: ask.id,
    bucket: ask.bucket,
    keyId: ask.keyId,
    chain: ask.chain,
    outcome,
    price: outcome === "upstream_failed" ? { credits: ask.most.credits && 0n, tokens: ask.most.tokens && 0n } : price,
    usage: { ...NO_USAGE, inputTokens: 1, outputTokens: 1 },
    digest: null,
    contentDelivered: true,
    record: { provider: "acme", status: 200, firstByteMs: 1, tookMs: 2, estimated: false },
    answer: null,
    absorbed: NOTHING,
    waived: outcome === "upstream_failed" ? price : NOTHING,
    capPerHour: 1_000_000_000_000n,
    accountCapPerHour: 1_000_000_000_000n,
  };
}

type Changing = Shared & { isOver: () => boolean };

/** What happens to a tree in a year, in seconds. */
async function changeTree(database: Database, { tree, random, report, isOver }: Changing): Promise<void> {
  const ledger = createLedgerStore(database);
  let days = 0;
  const said = async (sql: string, values: readonly unknown[]): Promise<string> => {
    const [row] = await database.query<{ result: string }>(`select result from ${sql}`, values);
    return row?.result ?? "nothing";
  };
  const changes: Record<string, () => Promise<unknown>> = {
    "key moved": () => said("key_move_v1($1, $2)", [pick(tree.keyIds, random), pick(tree.teams, random)]),
    "team moved": () => said("account_move_v1($1, $2)", [pick(tree.teams, random), pick(tree.organisations, random)]),
    "organisation bumped": async () => {
      const organisation = pick(tree.organisations, random);
      for (const status of ["suspended", "active"]) await said("account_status_v1($1, $2)", [organisation, status]);
    },
    "limit opened": () =>
      said("counter_open_v1($1, null, 'limit', $2, $3, 'week', null, 'storm')", [
        pick(tree.teams, random),
        pick(["credit", "tokens"], random),
        BigInt(200 + Math.floor(random() * 20_000)),
      ]),
    "limit closed": async () => {
      const [row] = await database.query<{ id: number }>(
        "select id from counter where kind = 'limit' and period = 'week' and closed_at is null order by random() limit 1",
      );
      return row && said("counter_close_v1($1)", [row.id]);
    },
    "limit changed": async () => {
      const [row] = await database.query<{ id: number }>(
        "select id from counter where kind = 'limit' and period = 'day' and closed_at is null order by random() limit 1",
      );
      const amount = BigInt(Math.floor(random() * 4_000));
      return (
        row &&
        ledger.setLimit({ counter: row.id, reference: createId(Date.now()), amount, period: "day", actor: "storm" })
      );
    },
    "purse funded": async () => {
      const [row] = await database.query<{ id: number }>(
        "select id from counter where kind = 'purse' order by random() limit 1",
      );
      return (
        row &&
        ledger.fund({
          counter: row.id,
          reference: createId(Date.now()),
          kind: "purchase",
          amount: 8_000n,
          actor: "storm",
        })
      );
    },
    "charge refunded": async () => {
      const [row] = await database.query<{ id: string; keyId: string; credits: bigint | null }>(
        `select c.hold_id as id, h.key_id as "keyId", c.credits from charge c join chain h on h.id = c.chain
          where c.credits > 1 order by c.hold_id desc offset $1 limit 1`,
        [Math.floor(random() * 500)],
      );
      if (!row) return undefined;
      const amounts = { credits: 1n, tokens: null };
      return ledger.refund({
        keyId: row.keyId,
        reference: createId(Date.now()),
        about: row.id,
        amounts,
        actor: "storm",
      });
    },
    "day ended": () => {
      days++;
      return database.query("update storm_clock set days = $1", [days]);
    },
  };
  const names = Object.keys(changes);
  while (!isOver()) {
    const name = pick(names, random);
    await changes[name]?.();
    report.changes[name] = (report.changes[name] ?? 0) + 1;
    // As the background task does: whoever is owed a new chain gets it.
    for (;;) {
      const [row] = await database.query<{ owed: boolean }>("select rechain_v1() as owed");
      if (row?.owed !== true || isOver()) break;
    }
  }
}

/** Looks at all books at one instant, again and again. */
async function lookAtBooks(database: Database, report: StormReport, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    report.violations.push(...(await database.transaction(findWrong)));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** From now on the ledger's clock can be moved by days, and ids of today are taken on every day. */
export const takeStormClock = (database: Database): Promise<void> =>
  database.script(`
    create table storm_clock (days int not null);
    insert into storm_clock values (0);
    create or replace function ledger_now() returns timestamptz language sql volatile
      as 'select clock_timestamp() + days * interval ''1 day'' from storm_clock';
    create or replace function require_recent(p_first uuid, p_last uuid, p_now timestamptz) returns void language plpgsql as 'begin end';
  `);

export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

function pick<Value>(values: readonly Value[], random: () => number): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("there is nothing to pick from");
  return value;
}
