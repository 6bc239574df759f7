import fc from "fast-check";
import { createId } from "../../src/core/ids.ts";
import type { Database, Queryable } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { askOf, endOf, loneKey, readLoneKey } from "../support/lone-key.ts";
import { until } from "../support/until.ts";

/** Requests are numbers; each has a key of its own, so that nothing waits for anything but by way of the rollups. */
type Change = { type: "settle" | "void"; request: number; open: boolean };
export type RollupStep =
  | Change
  | { type: "rollup" | "turn"; meanwhile: Change[] }
  | { type: "advance"; ms: number }
  | { type: "commit" };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GATE = 4_711;
const REQUESTS = 6;
const ROUNDS_AT_MOST = 12;

const change: fc.Arbitrary<Change> = fc.record({
  type: fc.constantFrom("settle" as const, "settle" as const, "void" as const),
  request: fc.nat(REQUESTS - 1),
  open: fc.nat(3).map((n) => n === 0),
});

export const rollupSteps: fc.Arbitrary<RollupStep[]> = fc.array(
  fc.oneof(
    { arbitrary: change, weight: 6 },
    {
      arbitrary: fc.record({
        type: fc.constantFrom("rollup" as const, "turn" as const),
        meanwhile: fc.array(change, { maxLength: 2 }),
      }),
      weight: 4,
    },
    {
      arbitrary: fc.record({ type: fc.constant("advance" as const), ms: fc.constantFrom(1_000, 61_000, 1_700_000) }),
      weight: 3,
    },
    { arbitrary: fc.constant({ type: "commit" as const }), weight: 1 },
  ),
  { minLength: 4, maxLength: 18, size: "max" },
);

const SUMS = `select h.key_id, date_trunc('hour', c.at, 'UTC') as hour, c.kind, count(*) as requests, sum(c.credits)::bigint as credits
  from charge c join chain h on h.id = c.chain
 where h.key_id = any ($1::uuid[]) and c.kind <> 6 and not exists (select from refund f where f.hold_id = c.hold_id and f.kind = 'void')
 group by 1, 2, 3 order by 1, 2, 3`;
const ROLLUPS = `select h.key_id, r.hour, r.kind, r.requests, r.credits from usage_rollup r join chain h on h.id = r.chain
 where h.key_id = any ($1::uuid[]) order by 1, 2, 3`;
/** Of days that are over. */
const DAYS = `select h.key_id, r.day, r.kind, r.requests, r.credits from usage_day r join chain h on h.id = r.chain
 where h.key_id = any ($1::uuid[]) order by 1, 2, 3`;
const HOURS_BY_DAY = `select h.key_id, date_trunc('day', r.hour, 'UTC') as day, r.kind, sum(r.requests)::bigint as requests,
       sum(r.credits)::bigint as credits
  from usage_rollup r join chain h on h.id = r.chain
 where h.key_id = any ($1::uuid[]) and r.hour < date_trunc('day', ledger_now(), 'UTC') group by 1, 2, 3 order by 1, 2, 3`;

/** Lets a rollup stand still at the moment in which it has read the records and is about to write. */
export async function installGate(database: Database): Promise<void> {
  await database.script(`
    create function test_gate() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end $$;
    create trigger test_gate before insert on usage_rollup for each statement execute function test_gate();
  `);
}

/** Plays steps on a database of its own clock, lets all come to rest, and answers where rollups differ from records. */
export function createRollupPlay(database: Database): (steps: readonly RollupStep[]) => Promise<string[]> {
  let clockMs = Date.UTC(2026, 0, 5, 12, 40);

  return async (steps) => {
    clockMs = Math.ceil(clockMs / HOUR_MS + 1) * HOUR_MS + 40 * 60_000;
    const keys = Array.from({ length: REQUESTS }, () => createId(clockMs));
    const ids = keys.map(() => createId(clockMs));
    const setClock = (): Promise<unknown> => database.query("update test_clock set now = $1", [new Date(clockMs)]);
    await setClock();
    await openRequests(database, { keys, ids });
    const touched = new Set<number>();
    let held: { finish: () => void; done: Promise<void> }[] = [];

    const commit = async (): Promise<void> => {
      for (const { finish } of held) finish();
      await Promise.all(held.map(({ done }) => done));
      held = [];
      touched.clear();
    };
    const perform = async ({ type, request, open }: Change): Promise<void> => {
      // What an open transaction has locked would be waited for.
      if (touched.has(request)) return;
      const work = (queryable: Queryable) =>
        apply(queryable, { type, id: ids[request] ?? "", keyId: keys[request] ?? "" });
      if (!open || held.length >= 2) {
        await work(database);
        return;
      }
      touched.add(request);
      const [entered, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const done = database.transaction(async (tx) => {
        await work(tx);
        entered.resolve();
        await finish.promise;
      });
      await Promise.race([entered.promise, done]);
      held.push({ finish: finish.resolve, done });
    };

    for (const step of steps) {
      if (step.type === "advance") {
        clockMs += step.ms;
        await setClock();
      } else if (step.type === "commit") await commit();
      else if ("meanwhile" in step) {
        const hours = step.type === "turn" ? await due(database) : [];
        for (const hour of hours) await database.query("select rollup_v1($1)", [hour]);
        await rollUpWith(database, { hour: new Date(clockMs), meanwhile: () => runAll(step.meanwhile, perform) });
      } else await perform(step);
    }
    await commit();
    clockMs += 2 * HOUR_MS;
    await setClock();
    for (let round = 0; round < ROUNDS_AT_MOST; round += 1) {
      const hours = await due(database);
      for (const hour of hours) await database.query("select rollup_v1($1)", [hour]);
      if (hours.length === 0) break;
    }

    const read = (sql: string): Promise<object[]> => database.query<object>(sql, [keys]);
    const [sums, rollups] = [await read(SUMS), await read(ROLLUPS)];
    const [days, byDay] = [await read(DAYS), await read(HOURS_BY_DAY)];
    return [
      ...(text(rollups) === text(sums) ? [] : [`rollup is ${text(rollups)}, should be ${text(sums)}`]),
      ...(text(days) === text(byDay) ? [] : [`days are ${text(days)}, should be ${text(byDay)}`]),
    ];
  };
}

async function runAll(changes: readonly Change[], perform: (change: Change) => Promise<void>): Promise<void> {
  for (const it of changes) await perform(it);
}

/** Hours that ended and are to be added up once more. */
async function due(queryable: Queryable): Promise<Date[]> {
  return (await queryable.query<{ hour: Date }>("select hour from rollup_due_v1(100) hour")).map(({ hour }) => hour);
}

async function rollUpWith(
  database: Database,
  { hour, meanwhile }: { hour: Date; meanwhile: () => Promise<void> },
): Promise<void> {
  const adding = await database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1)", [GATE]);
    const rollup = database.query("select rollup_v1($1)", [hour]);
    rollup.catch(() => undefined);
    const waits = `select 1 from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted`;
    await until(async () => (await tx.query(waits)).length > 0, "the rollup stands still");
    await meanwhile();
    return { rollup };
  });
  await adding.rollup;
}

async function openRequests(database: Database, { keys, ids }: Record<"keys" | "ids", string[]>): Promise<void> {
  const ledger = createLedgerStore(database);
  const lone = [];
  for (const keyId of keys) lone.push(await loneKey(database, { keyId, funds: 1_000n }));
  await ledger.admit(
    createId(1),
    lone.map((key, n) => askOf(key, { id: ids[n] ?? "", least: 10n, most: 100n, lifetimeMs: DAY_MS })),
  );
}

async function apply(
  queryable: Queryable,
  { type, id, keyId }: { type: Change["type"]; id: string; keyId: string },
): Promise<void> {
  const ledger = createLedgerStore(queryable);
  if (type === "void") return void (await ledger.void([{ id, keyId, bucket: 7 }]));
  const ask = askOf(await readLoneKey(queryable, keyId), { id });
  const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
  await ledger.settle([endOf(ask, { price: 80n, record })]);
}

const text = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
