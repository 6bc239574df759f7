import type { Clock } from "../../core/clock.ts";
import { Conflict } from "../../core/conflict.ts";
import { invariant } from "../../core/invariant.ts";
import { sqlStateOf } from "../../db/database-error.ts";
import type { Database, Queryable, Transaction } from "../../db/database.ts";
import { type Partitions, type JournalDay, type JournalDays, type RepairedDay, type RepairStep } from "./partitions.ts";

type Options = {
  database: Pick<Database, "query" | "transaction">;
  clock: Pick<Clock, "elapsedMs">;
  /** Waits between two tries for the lock. */
  pause: () => Promise<void>;
  rowsAtOnce?: number;
};

/** A day of the journal, and the table that is made for it. */
type Moved = { from: string; to: string; suffix: string };
type Copied = { rows: number; last: string | null };
type Sums = { rows: bigint; amount: string; tokens: string };

/** Requests queue behind a lock that is waited for, so no try waits long. */
const LOCK_TIMEOUT_MS = 300;
const LOCK_TRIES = 20;
const ROWS_AT_ONCE = 20_000;
const COUNT_TIMEOUT_MS = 600_000;
/** All requests wait while a day is moved; past this it is undone. */
const MOVE_TIMEOUT_MS = 30_000;
const LOCK_NOT_AVAILABLE = "55P03";
const CANCELLED = "57014";

const DAY_OF = (id: string): string =>
  `to_char(to_timestamp((('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`;

const OWN = `
  select substr(c.relname, 8) as name, greatest(c.reltuples, 0)::bigint as rows
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'charge'::regclass and c.relname ~ '^charge_[0-9]{8}$'`;

const LEFT = `select ${DAY_OF("hold_id")} as day, count(*) as rows from charge_other group by 1`;

/** The days of the journal and how to give one its own partition after the fact. Only the owner of the tables can. */
export const createPartitions = (options: Options): Partitions => ({
  list: () => list(options.database),
  repair: (day, onStep) => repair(options, day, onStep),
});

type OnStep = (step: RepairStep) => void | Promise<void>;

async function repair(options: Options, day: string, onStep: OnStep): Promise<RepairedDay> {
  const { database, pause } = options;
  const owner = await requireOwner(database);
  const it = await movedOf(database, day);
  const [state] = await database.query<{ own: boolean; other: boolean }>(
    `select exists (select from pg_inherits where inhrelid = to_regclass($1)) as own, to_regclass($1) is not null as other`,
    [`charge${it.suffix}`],
  );
  if (state?.own) return { day, result: "present", charges: 0, lockedMs: 0 };
  if (state?.other)
    throw new Conflict(`Table charge${it.suffix} exists but is not a partition of charge. Rename it first.`);
  await copyAhead(options, it, onStep);
  for (let tries = 1; ; tries += 1) {
    try {
      return await move(options, { day, it, owner });
    } catch (error) {
      if (sqlStateOf(error) === CANCELLED)
        throw new Conflict(
          `Moving ${day} took longer than ${MOVE_TIMEOUT_MS / 1_000} s and was rolled back. Stop the gateways and try again.`,
        );
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (tries >= LOCK_TRIES)
        throw new Conflict(
          `The journal was in use at each of ${LOCK_TRIES} attempts. End long transactions and try again.`,
        );
      await onStep({ kind: "waiting", tries });
      await pause();
    }
  }
}

/** Nobody waits for this. Charges are final, so what is copied stays right. */
async function copyAhead({ database, rowsAtOnce = ROWS_AT_ONCE }: Options, it: Moved, onStep: OnStep): Promise<void> {
  await database.transaction(async (tx) =>
    tx.script(`
      create table if not exists ${movingOf(it)} (like charge including all);
      alter table ${movingOf(it)} drop constraint if exists moving_range;
      alter table ${movingOf(it)} add constraint moving_range check (${rangeOf(it)})`),
  );
  const sql = `
    with copied as (
      insert into ${movingOf(it)} ${missing(it)} and o.hold_id > $1::uuid order by o.hold_id limit ${rowsAtOnce} returning hold_id
    )
    select (select count(*)::int from copied) as rows, (select hold_id from copied order by hold_id desc limit 1) as last`;
  let rows = 0;
  for (let after: string | null = NOTHING; after !== null;) {
    const values: readonly string[] = [after];
    const [copied]: Copied[] = await database.transaction(async (tx) => {
      // A table that was just made has no statistics, and would be read whole for every row.
      await tx.script(
        "set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off",
      );
      return tx.query<Copied>(sql, values);
    });
    invariant(copied, "what was copied is counted");
    rows += copied.rows;
    await onStep({ kind: "copied", rows });
    after = copied.rows < rowsAtOnce ? null : copied.last;
  }
}

type Move = { day: string; it: Moved; owner: string };

/** Whoever repairs it, the day belongs to the owner of the journal, who reads it by name. */
const move = ({ database, clock }: Options, { day, it, owner }: Move): Promise<RepairedDay> =>
  database.transaction(async (tx) => {
    await tx.script(`
      set local statement_timeout = ${MOVE_TIMEOUT_MS};
      set local lock_timeout = ${LOCK_TIMEOUT_MS};
      set local enable_nestloop = off`);
    const [duty] = await tx.query("select from duty where name = 'partition' for update skip locked");
    if (!duty) throw new Conflict("Another process is creating partitions. Try again.");
    const beganMs = clock.elapsedMs();
    await tx.script("lock table only charge, only charge_other");
    const charges = await moveRows(tx, it);
    await tx.script(
      `alter table charge${it.suffix} owner to ${owner};
       create trigger is_kept before truncate on charge${it.suffix} for each statement execute function journal_is_final();
       select day_has_many_keys('charge${it.suffix}');
       select name_days()`,
    );
    const result = charges === 0 ? "made" : "moved";
    return { day, result, charges, lockedMs: Math.round(clock.elapsedMs() - beganMs) };
  });

const NOTHING = "00000000-0000-0000-0000-000000000000";
const movingOf = ({ suffix }: Moved): string => `charge_moving${suffix}`;
const rangeOf = ({ from, to }: Moved): string => `hold_id >= '${from}' and hold_id < '${to}'`;

/** Rows of the day that lie in the default partition and have not been copied. */
const missing = (it: Moved): string =>
  `select o.* from only charge_other o where o.${rangeOf(it).replace("and hold_id", "and o.hold_id")}
      and not exists (select from ${movingOf(it)} m where m.hold_id = o.hold_id)`;

/** The locks are held. Counts and sums of the day, read through the whole table, are the same before and after, or nothing happened. */
async function moveRows(tx: Transaction, it: Moved): Promise<number> {
  const before = await sumsOf(tx, it);
  await tx.script(`
    insert into ${movingOf(it)} ${missing(it)};
    alter table charge_other disable trigger charge_is_final;
    delete from only charge_other where ${rangeOf(it)};
    alter table charge_other enable trigger charge_is_final;
    alter table ${movingOf(it)} rename to charge${it.suffix};
    alter table charge attach partition charge${it.suffix} for values from ('${it.from}') to ('${it.to}');
    alter table charge${it.suffix} drop constraint moving_range`);
  const after = await sumsOf(tx, it);
  invariant(
    before.rows === after.rows && before.amount === after.amount && before.tokens === after.tokens,
    `charge holds ${after.rows} rows of the day after the move and ${before.rows} before it`,
  );
  return Number(after.rows);
}

async function sumsOf(queryable: Queryable, it: Moved): Promise<Sums> {
  const [sums] = await queryable.query<Sums>(
    `select count(*) as rows, coalesce(sum(credits), 0)::text as amount, coalesce(sum(input + output), 0)::text as tokens
       from charge where ${rangeOf(it)}`,
  );
  invariant(sums, "a sum has a row");
  return sums;
}

/** The owner of the journal, quoted for SQL. */
async function requireOwner(queryable: Queryable): Promise<string> {
  const [row] = await queryable.query<{ owner: string; mine: boolean }>(
    "select quote_ident(pg_get_userbyid(relowner)) as owner, pg_has_role(relowner, 'usage') as mine from pg_class where oid = 'charge'::regclass",
  );
  invariant(row, "the journal has an owner");
  if (!row.mine) throw new Conflict(`Only the owner of the tables can move rows. Connect as ${row.owner}.`);
  return row.owner;
}

async function movedOf(queryable: Queryable, day: string): Promise<Moved> {
  const [range] = await queryable.query<{ from: string; to: string }>(
    `select uuid_floor($1::date::timestamp at time zone 'UTC') as from, uuid_floor(($1::date + 1)::timestamp at time zone 'UTC') as to`,
    [day],
  );
  invariant(range, "a day has a beginning and an end");
  return { ...range, suffix: `_${day.replaceAll("-", "")}` };
}

async function list(database: Pick<Database, "transaction">): Promise<JournalDays> {
  return database.transaction(async (tx) => {
    await tx.script(`set local statement_timeout = ${COUNT_TIMEOUT_MS}`);
    const own = await tx.query<{ name: string; rows: bigint }>(OWN);
    const left = await tx.query<{ day: string; rows: bigint }>(LEFT);
    const days: JournalDay[] = [
      ...own.map(({ name, rows }) => ({
        day: name.replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3"),
        place: "own" as const,
        charges: Number(rows),
      })),
      ...left.map(({ day, rows }) => ({ day, place: "default" as const, charges: Number(rows) })),
    ];
    return {
      days: days.toSorted((one, other) => (one.day < other.day ? -1 : 1)),
      defaultCharges: left.reduce((sum, { rows }) => sum + Number(rows), 0),
    };
  });
}
