import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import { invariant } from "../core/invariant.ts";
import { sqlStateOf } from "../db/database-error.ts";
import type { Database, Queryable, Transaction } from "../db/database.ts";
import { type Partitions, type JournalDays, type RepairedDay, type RepairStep } from "./partitions.ts";

type Options = {
  database: Pick<Database, "query" | "transaction">;
  clock: Pick<Clock, "elapsedMs">;
  /** Waits between two tries for the lock. */
  pause: () => Promise<void>;
  rowsAtOnce?: number;
};

type Moved = {
  table: "charge" | "usage_record";
  id: string;
  /** The columns of the index that finds a row. */
  order: readonly string[];
  amount: string;
  from: string;
  to: string;
  suffix: string;
};
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

const OWN = (table: string): string => `
  select substr(c.relname, ${table.length + 2}) as name, greatest(c.reltuples, 0)::bigint as rows
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = '${table}'::regclass and c.relname ~ '^${table}_[0-9]{8}$'`;

const LEFT = (table: string, id: string): string =>
  `select ${DAY_OF(id)} as day, count(*) as rows from ${table}_other group by 1`;

/** The days of the journal and how to give one its own partitions after the fact. Only the owner of the tables can. */
// oxlint-disable-next-line max-lines-per-function -- one statement after the other.
export function createPartitions({ database, clock, pause, rowsAtOnce = ROWS_AT_ONCE }: Options): Partitions {
  async function repair(day: string, onStep: (step: RepairStep) => void | Promise<void>): Promise<RepairedDay> {
    await requireOwner(database);
    const tables = await tablesOf(database, day);
    const [state] = await database.query<{ own: boolean; other: boolean }>(
      `select exists (select from pg_inherits where inhrelid = to_regclass($1)) as own, to_regclass($1) is not null as other`,
      [`charge${tables[0].suffix}`],
    );
    if (state?.own) return { day, result: "present", charges: 0, usageRecords: 0, lockedMs: 0 };
    if (state?.other)
      throw new Conflict(`Table charge${tables[0].suffix} exists but is not a partition of charge. Rename it first.`);
    for (const table of tables) await copyAhead(table, onStep);
    for (let tries = 1; ; tries += 1) {
      try {
        return await move(day, tables);
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

  /** Nobody waits for this. Charges are final, so what is copied stays right; records can go, which is seen to under the lock. */
  async function copyAhead(it: Moved, onStep: (step: RepairStep) => void | Promise<void>): Promise<void> {
    await database.transaction(async (tx) =>
      tx.script(`
        create table if not exists ${movingOf(it)} (like ${it.table} including all);
        alter table ${movingOf(it)} drop constraint if exists moving_range;
        alter table ${movingOf(it)} add constraint moving_range check (${it.id} >= '${it.from}' and ${it.id} < '${it.to}')`),
    );
    const order = it.order.join(", ");
    const sql = `
      with copied as (
        insert into ${movingOf(it)} ${missing(it)} and (${order}) > (${it.order.map((_, n) => `$${n + 1}::uuid`).join(", ")})
         order by ${order} limit ${rowsAtOnce} returning ${order}
      ), last as (select ${order} from copied order by ${it.order.map((column) => `${column} desc`).join(", ")} limit 1)
      select (select count(*)::int from copied) as rows, array(select unnest(array[${order}])::text from last) as last`;
    let rows = 0;
    for (let after = it.order.map(() => NOTHING); after.length > 0;) {
      const [copied] = await database.transaction(async (tx) => {
        // A table that was just made has no statistics, and would be read whole for every row.
        await tx.script(
          "set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off",
        );
        return tx.query<{ rows: number; last: string[] }>(sql, after);
      });
      invariant(copied, "what was copied is counted");
      rows += copied.rows;
      await onStep({ kind: "copied", table: it.table, rows });
      after = copied.rows < rowsAtOnce ? [] : copied.last;
    }
  }

  const move = (day: string, tables: readonly [Moved, Moved]): Promise<RepairedDay> =>
    database.transaction(async (tx) => {
      await tx.script(`
        set local statement_timeout = ${MOVE_TIMEOUT_MS};
        set local lock_timeout = ${LOCK_TIMEOUT_MS};
        set local enable_nestloop = off`);
      const [duty] = await tx.query("select from duty where name = 'partition' for update skip locked");
      if (!duty) throw new Conflict("Another process is creating partitions. Try again.");
      const beganMs = clock.elapsedMs();
      await tx.script("lock table only charge, only charge_other, only usage_record, only usage_record_other");
      const [charges, records] = [await moveTable(tx, tables[0]), await moveTable(tx, tables[1])];
      await tx.script(
        `create trigger is_kept before truncate on charge${tables[0].suffix} for each statement execute function journal_is_final()`,
      );
      const result = charges + records === 0 ? "made" : "moved";
      return { day, result, charges, usageRecords: records, lockedMs: Math.round(clock.elapsedMs() - beganMs) };
    });

  return { list: () => list(database), repair };
}

const NOTHING = "00000000-0000-0000-0000-000000000000";
const movingOf = ({ table, suffix }: Moved): string => `${table}_moving${suffix}`;
const rangeOf = ({ id, from, to }: Moved): string => `${id} >= '${from}' and ${id} < '${to}'`;

/** Rows of the day that lie in the default partition and have not been copied. */
const missing = (it: Moved): string =>
  `select o.* from only ${it.table}_other o where ${rangeOf(it)}
      and not exists (select from ${movingOf(it)} m where ${sameRow(it)})`;

const sameRow = (it: Moved): string => it.order.map((column) => `m.${column} = o.${column}`).join(" and ");

/** The locks are held. Counts and sums of the day, read through the whole table, are the same before and after, or nothing happened. */
async function moveTable(tx: Transaction, it: Moved): Promise<number> {
  const before = await sumsOf(tx, it);
  const journal = it.table === "charge";
  const trigger = (verb: string): string =>
    journal ? `alter table ${it.table}_other ${verb} trigger charge_is_final;` : "";
  await tx.script(`
    insert into ${movingOf(it)} ${missing(it)};
    ${journal ? "" : `delete from ${movingOf(it)} m where not exists (select from only ${it.table}_other o where ${sameRow(it)});`}
    ${trigger("disable")}
    delete from only ${it.table}_other where ${rangeOf(it)};
    ${trigger("enable")}
    alter table ${movingOf(it)} rename to ${it.table}${it.suffix};
    alter table ${it.table} attach partition ${it.table}${it.suffix} for values from ('${it.from}') to ('${it.to}');
    alter table ${it.table}${it.suffix} drop constraint moving_range`);
  const after = await sumsOf(tx, it);
  invariant(
    before.rows === after.rows && before.amount === after.amount && before.tokens === after.tokens,
    `${it.table} holds ${after.rows} rows of the day after the move and ${before.rows} before it`,
  );
  return Number(after.rows);
}

async function sumsOf(queryable: Queryable, it: Moved): Promise<Sums> {
  const [sums] = await queryable.query<Sums>(
    `select count(*) as rows, coalesce(sum(${it.amount}), 0)::text as amount, coalesce(sum(tokens_in + tokens_out), 0)::text as tokens
       from ${it.table} where ${rangeOf(it)}`,
  );
  invariant(sums, "a sum has a row");
  return sums;
}

async function requireOwner(queryable: Queryable): Promise<void> {
  const [row] = await queryable.query<{ owner: string; mine: boolean }>(
    "select pg_get_userbyid(relowner) as owner, pg_has_role(relowner, 'usage') as mine from pg_class where oid = 'charge'::regclass",
  );
  if (row && !row.mine) throw new Conflict(`Only the owner of the tables can move rows. Connect as ${row.owner}.`);
}

async function tablesOf(queryable: Queryable, day: string): Promise<[Moved, Moved]> {
  const [range] = await queryable.query<{ from: string; to: string }>(
    `select uuid_floor($1::date::timestamp at time zone 'UTC') as from, uuid_floor(($1::date + 1)::timestamp at time zone 'UTC') as to`,
    [day],
  );
  invariant(range, "a day has a beginning and an end");
  const common = { ...range, suffix: `_${day.replaceAll("-", "")}` };
  return [
    { ...common, table: "charge", id: "hold_id", order: ["hold_id"], amount: "amount" },
    { ...common, table: "usage_record", id: "id", order: ["key_id", "id"], amount: "cost" },
  ];
}

async function list(database: Pick<Database, "transaction">): Promise<JournalDays> {
  return database.transaction(async (tx) => {
    await tx.script(`set local statement_timeout = ${COUNT_TIMEOUT_MS}`);
    const [ownCharges, ownRecords] = [await own(tx, "charge"), await own(tx, "usage_record")];
    const [charges, records] = [await left(tx, "charge", "hold_id"), await left(tx, "usage_record", "id")];
    const days = (place: "own" | "default", one: Map<string, number>, other: Map<string, number>) =>
      [...new Set([...one.keys(), ...other.keys()])].map((day) => ({
        day,
        place,
        charges: one.get(day) ?? 0,
        usageRecords: other.get(day) ?? 0,
      }));
    const total = (rows: Map<string, number>): number => [...rows.values()].reduce((sum, count) => sum + count, 0);
    return {
      days: [...days("own", ownCharges, ownRecords), ...days("default", charges, records)].toSorted((one, other) =>
        one.day < other.day ? -1 : 1,
      ),
      defaultCharges: total(charges),
      defaultUsageRecords: total(records),
    };
  });
}

async function own(tx: Queryable, table: string): Promise<Map<string, number>> {
  const rows = await tx.query<{ name: string; rows: bigint }>(OWN(table));
  return new Map(rows.map(({ name, rows: count }) => [name.replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3"), Number(count)]));
}

async function left(tx: Queryable, table: string, id: string): Promise<Map<string, number>> {
  const rows = await tx.query<{ day: string; rows: bigint }>(LEFT(table, id));
  return new Map(rows.map(({ day, rows: count }) => [day, Number(count)]));
}
