import type { Database } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask, BatchVerdict, Ledger, AdmitVerdict } from "../../src/ledger/ledger.ts";
import type { ChainRef } from "../../src/core/money/counter.ts";
import { BUCKET } from "./commands.ts";
import { createTree } from "./database-tree.ts";
import type { Target } from "./drive.ts";
import { STATE_FUNCTION } from "./read-state.ts";

export type DatabaseTarget = Target & { numberOf: (counter: number) => number };

const POISONED = "poisoned by the test";

/**
 * From now on the ledger of this database reads its time from a table, ids say nothing about it, and what another table names
 * cannot be swept.
 */
export async function takeClock(database: Database): Promise<void> {
  await database.script(`
    create table test_clock (now timestamptz not null, started timestamptz not null, timeline bigint not null);
    insert into test_clock values (clock_timestamp(), clock_timestamp(), 1);
    delete from rollup_owed;
    create or replace function ledger_now() returns timestamptz language sql volatile as 'select now from test_clock';
    create or replace function ledger_server_start() returns timestamptz language sql volatile as 'select started from test_clock';
    create or replace function server_timeline() returns bigint language sql volatile as 'select timeline from test_clock';
    create or replace function require_recent(p_first uuid, p_last uuid, p_now timestamptz) returns void language plpgsql as 'begin end';
    create table test_poison (hold_id uuid primary key);
    create function test_refuses() returns trigger language plpgsql as $$
    begin
      if exists (select from test_poison where hold_id = new.hold_id) then
        raise exception '${POISONED}' using errcode = 'check_violation';
      end if;
      return new;
    end
    $$;
    create trigger test_refuses before insert on charge for each row when (new.kind = 5) execute function test_refuses();
    grant all on test_clock, test_poison to public;
    ${STATE_FUNCTION};
  `);
}

/** The real functions, with the clock in the test's hands. */
// oxlint-disable-next-line max-lines-per-function -- one function of the database after the other.
export async function databaseTarget(database: Database, startMs: number): Promise<DatabaseTarget> {
  let nowMs = startMs;
  let latestMs = startMs;
  const setClock = (column: string): Promise<unknown> =>
    database.query(`update test_clock set ${column} = $1`, [new Date(nowMs)]);
  await setClock("now");
  await setClock("started");
  await database.query("update test_clock set timeline = 1");
  const ledger = createLedgerStore(database);
  const tree = createTree(database);
  const { idOf, numberOf } = tree;
  const real = <Of extends { chain: ChainRef }>(of: Of): Of => ({
    ...of,
    chain: { ...of.chain, counters: of.chain.counters.map(idOf) },
  });
  return {
    ...tree,
    turn: async (processId, { settlements, asks }) => {
      const { settled, verdicts } = await ledger.turn(processId, {
        settlements: settlements.map(real),
        asks: asks.map(real),
      });
      const answered = verdicts.map((verdict, index) =>
        withAnswer(ledger, asks[index] as Ask, numbered(verdict, numberOf)),
      );
      return { settled, verdicts: await Promise.all(answered) };
    },
    void: ledger.void,
    suspend: ledger.suspend,
    refused: (refusal) => ledger.refused({ ...refusal, counter: idOf(refusal.counter) }),
    checkpoint: ledger.checkpoint,
    heartbeat: ledger.heartbeat,
    refund: ledger.refund,
    fund: (funding) => ledger.fund({ ...funding, counter: idOf(funding.counter) }),
    setLimit: (change) => ledger.setLimit({ ...change, counter: idOf(change.counter) }),
    usage: async (keyId) => {
      const summary = await ledger.usage(keyId);
      return summary && { ...summary, counters: summary.counters.map((it) => ({ ...it, id: numberOf(it.id) })) };
    },
    sweep: async (sweeperId, limit) => {
      try {
        return (await ledger.sweep(sweeperId, limit)).swept;
      } catch (error) {
        if (error instanceof Error && error.message === POISONED) return [];
        throw error;
      }
    },
    poison: async (holdId) => {
      await database.query("insert into test_poison values ($1) on conflict do nothing", [holdId]);
    },
    nowMs: () => nowMs,
    latestMs: () => latestMs,
    advance: async (ms) => {
      nowMs += ms;
      latestMs = Math.max(latestMs, nowMs);
      await setClock("now");
    },
    restart: async () => {
      await setClock("started");
    },
    promote: async () => {
      await database.query("update test_clock set timeline = timeline + 1");
    },
    lostHolds: async () => {
      const sql = "select from hold h where not exists (select from quarantine q where q.hold_id = h.id)";
      return (await database.query(sql)).length;
    },
    changeKey: async (keyId) => {
      await database.query("update key set status = 'active' where id = $1", [keyId]);
    },
    copyOf: async (keyId, model) => {
      const copy = await tree.read(keyId, model);
      if (copy === null) return { version: 1, chain: { id: 0, counters: [] }, units: ["credit"] };
      const { version, chain, counters, units, isWhole } = copy;
      const id = isWhole ? chain : ((await ledger.chain(keyId, version, counters)) ?? 0);
      return { version, chain: { id, counters: counters.map(numberOf) }, units };
    },
  };
}

/** What the test calls a counter that was named. */
function numbered(verdict: BatchVerdict, numberOf: (id: number) => number): BatchVerdict {
  if (verdict.kind === "not_begun") return { ...verdict, counter: numberOf(verdict.counter) };
  return "named" in verdict ? { ...verdict, named: { ...verdict.named, id: numberOf(verdict.named.id) } } : verdict;
}

async function withAnswer(ledger: Ledger, { keyId, claim }: Ask, verdict: BatchVerdict): Promise<AdmitVerdict> {
  if (verdict.kind !== "replay") return verdict;
  const [answer] = claim === null ? [] : await ledger.kept([{ bucket: BUCKET, keyId, claim }]);
  // Undone by another call between the verdict and this; the batcher says the same.
  return answer ? { ...verdict, answer } : { kind: "in_progress", retryAfterMs: 0 };
}
