import type { Unit } from "../../src/core/money/amount.ts";
import { type Database, PREPARED } from "../../src/db/database.ts";
import { createStructureStore } from "../../src/ledger/structure/structure-store.ts";
import { BUCKET } from "./commands.ts";
import type { Target } from "./drive.ts";
import type { Changed } from "./model-counters.ts";

type Tree = Pick<
  Target,
  "createAccount" | "createKey" | "chainOf" | "open" | "close" | "watch" | "move" | "moveKey" | "books"
> & {
  /** Of a counter that the test has a number for. */
  idOf: (number: number) => number;
  numberOf: (id: number) => number;
  read: (keyId: string, model: string) => Promise<KeyRow | null>;
};
/** `counters` are those whose models match. */
type KeyRow = { version: number; chain: number; counters: number[]; units: Unit[]; isWhole: boolean };

const KEY = `select b.version::int, b.chain, s.counters, array_remove(array(select distinct u from unnest(b.unit::text || s.units) u order by 1), null) as units,
  s.counters = coalesce(b.counters, '{}') as "isWhole"
  from balance b cross join lateral (
    select coalesce(array_agg(c.id order by c.id), '{}') as counters, coalesce(array_agg(distinct c.unit::text), '{}') as units
      from counter c where c.id = any (b.counters) and coalesce($2 = any (c.models), true)
  ) s where b.key_id = $1`;

const CHAIN = `select h.counters, array(select distinct c.unit::text from counter_anywhere c where c.id = any (h.own || h.counters) order by 1) as units
  from (select chain from hold where id = $1 union all select chain from charge where hold_id = $1) q join chain h on h.id = q.chain`;

/** Accounts and counters of a database, by the numbers of the test. */
export function createTree(database: Database): Tree {
  const [ids, numbers] = [new Map<number, number>(), new Map<number, number>()];
  const know = (number: number, id: number): void => {
    ids.set(number, id);
    numbers.set(id, number);
  };
  const idOf = (number: number): number => ids.get(number) ?? -1;
  const numberOf = (id: number): number => numbers.get(id) ?? -id;
  const structure = createStructureStore(database);
  const told = ({ result }: { result: string }): Changed => ({ kind: result === "done" ? "changed" : "refused" });

  return {
    idOf,
    numberOf,
    read: async (keyId, model) => (await database.query<KeyRow>(KEY, [keyId, model], PREPARED))[0] ?? null,
    chainOf: async (requestId) => {
      const [row] = await database.query<{ counters: number[]; units: Unit[] }>(CHAIN, [requestId], PREPARED);
      return row ? { chain: { id: 0, counters: row.counters.map(numberOf) }, units: row.units } : null;
    },
    createAccount: async (id, parentId) => {
      const { result } = await structure.openAccount({ id, parentId, name: id, kind: "team", bucket: BUCKET });
      if (result !== "done") throw new Error(`an account is ${result}`);
    },
    createKey: async (keyId, unit, of) => {
      const mode = unit === "credit" ? "credit" : "token_budget";
      const accountId = "own" in of ? null : of.accountId;
      const sql = `insert into key (id, bucket, mode, account_id) values ($1, ${BUCKET}, $2, $3)`;
      await database.query(sql, [keyId, mode, accountId]);
      const [row] = await database.query<{ counter: number | null }>("select counter from balance where key_id = $1", [
        keyId,
      ]);
      if ("own" in of && row?.counter) know(of.own, row.counter);
    },
    open: async ({ number, accountId, keyId, ...order }) => {
      if (ids.has(number)) return { kind: "refused" };
      const holder = accountId === null ? { keyId: keyId ?? "" } : { accountId };
      const changed = await structure.openCounter({ ...order, ...holder, actor: "test" });
      if (changed.result === "done" && changed.counter !== null) know(number, changed.counter);
      return told(changed);
    },
    close: async (number) => told(await structure.closeCounter(idOf(number))),
    watch: async (counter, marks) => {
      await database.query("select thresholds_v1($1, $2::bigint[])", [idOf(counter), marks.map(String)]);
    },
    move: async (accountId, parentId) => told(await structure.changeAccount(accountId, { parentId })),
    moveKey: async (keyId, accountId) => {
      const changed = await structure.moveKey(keyId, accountId);
      return told(changed.result === "lone" ? await structure.adoptKey(keyId, accountId) : changed);
    },
    books: async () => {
      const sql = `select id, concat_ws(' ', posted, held, used, funded, refunded) as sums from counter_anywhere where id = any ($1::int[])`;
      const rows = await database.query<{ id: number; sums: string }>(sql, [[...numbers.keys()]], PREPARED);
      return Object.fromEntries(rows.map(({ id, sums }) => [numberOf(id), sums]));
    },
  };
}
