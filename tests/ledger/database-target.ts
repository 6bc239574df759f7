import type { Database } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/ledger-store.ts";
import type { Ask, BatchVerdict, Ledger, AdmitVerdict } from "../../src/ledger/ledger.ts";
import type { Target } from "./drive.ts";

const POISONED = "poisoned by the test";

/**
 * From now on the ledger of this database reads its time from a table, ids say nothing about it, and what another table names
 * cannot be swept.
 */
export async function takeClock(database: Database): Promise<void> {
  await database.script(`
    create table test_clock (now timestamptz not null, started timestamptz not null, timeline bigint not null);
    insert into test_clock values (clock_timestamp(), clock_timestamp(), 1);
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
    create trigger test_refuses before insert on charge for each row when (new.kind = 'swept') execute function test_refuses();
  `);
}

/** The real functions, with the clock in the test's hands. */
export async function databaseTarget(database: Database, startMs: number): Promise<Target> {
  const versions = new Map<string, number>();
  let nowMs = startMs;
  const setClock = (column: string): Promise<unknown> =>
    database.query(`update test_clock set ${column} = $1`, [new Date(nowMs)]);
  await setClock("now");
  await setClock("started");
  await database.query("update test_clock set timeline = 1");
  const ledger = createLedgerStore(database);
  const whole = (verdicts: readonly BatchVerdict[], asks: readonly Ask[]): Promise<AdmitVerdict[]> =>
    Promise.all(verdicts.map((verdict, index) => withAnswer(ledger, asks[index] as Ask, verdict)));
  return {
    ...ledger,
    admit: async (processId, asks) => whole(await ledger.admit(processId, asks), asks),
    turn: async (processId, turn) => {
      const { settled, verdicts } = await ledger.turn(processId, turn);
      return { settled, verdicts: await whole(verdicts, turn.asks) };
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
    suspend: async (keyIds) => {
      const suspended = await ledger.suspend(keyIds);
      for (const keyId of suspended) versions.set(keyId, (versions.get(keyId) ?? 1) + 1);
      return suspended;
    },
    nowMs: () => nowMs,
    advance: async (ms) => {
      nowMs += ms;
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
    createKey: async (keyId, unit) => {
      const mode = unit === "credit" ? "credit" : "token_budget";
      await database.query("insert into key (id, bucket, mode) values ($1, 7, $2)", [keyId, mode]);
      versions.set(keyId, 1);
    },
    changeKey: async (keyId) => {
      const rows = await database.query<{ version: bigint }>(
        "update key set status = 'active' where id = $1 returning version",
        [keyId],
      );
      for (const { version } of rows) versions.set(keyId, Number(version));
    },
    versionOf: (keyId) => versions.get(keyId) ?? 1,
  };
}

async function withAnswer(ledger: Ledger, { keyId, bucket, claim }: Ask, verdict: BatchVerdict): Promise<AdmitVerdict> {
  if (verdict.kind !== "replay") return verdict;
  const [answer] = claim === null ? [] : await ledger.kept([{ keyId, bucket, claim }]);
  // Undone by another call between the verdict and this; the batcher says the same.
  return answer ? { ...verdict, answer } : { kind: "in_progress" };
}
