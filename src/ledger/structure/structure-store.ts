import { invariant } from "../../core/invariant.ts";
import { LINE, type Queryable } from "../../db/database.ts";
import type { Changed, Structure } from "./structure.ts";

type ChangedRow = Omit<Changed, "holders"> & { holders: string[] | null };

const ANSWER = `select s.result, s.counter, s.account_id as "accountId", s.key_id as "keyId", s.holders, s.number from`;

/** The line of servers is asked for in the same statement, because a pooler may send each to another server. */
const OPEN_ACCOUNT = `${ANSWER} account_open_v1(on_line_v1($6::uuid, $1::uuid), $2, $3, $4, $5) s`;
const CHANGE_ACCOUNT = `${ANSWER} account_change_v1(on_line_v1($4::uuid, $1::uuid), $2, $3) s`;
const SET_STATUS = `${ANSWER} account_status_v1(on_line_v1($3::uuid, $1::uuid), $2) s`;
const SET_TIERS = `${ANSWER} account_tiers_v1(on_line_v1($3::uuid, $1::uuid), $2::text[]) s`;
const SET_REGIONS = `${ANSWER} account_regions_v1(on_line_v1($3::uuid, $1::uuid), $2::text[]) s`;
const CLOSE_ACCOUNT = `${ANSWER} account_close_v1(on_line_v1($2::uuid, $1::uuid)) s`;
const OPEN_COUNTER = `${ANSWER} counter_open_v1($1, $2, on_line_v1($9::uuid, $3::text), $4, $5, $6, $7::text[], $8) s`;
const CLOSE_COUNTER = `${ANSWER} counter_close_v1(on_line_v1($2::uuid, $1::int)) s`;
const MOVE_KEY = `${ANSWER} key_move_v1(on_line_v1($3::uuid, $1::uuid), $2) s`;
const ADOPT_KEY = `${ANSWER} adopt_v1(on_line_v1($3::uuid, $1::uuid), $2) s`;

export function createStructureStore(queryable: Queryable): Structure {
  async function change(sql: string, ...values: readonly unknown[]): Promise<Changed> {
    const [row] = await queryable.query<ChangedRow>(sql, [...values, LINE]);
    invariant(row, "a change of the structure is answered");
    return { ...row, holders: row.holders ?? [] };
  }

  return {
    openAccount: ({ id, parentId, name, kind, bucket }) => change(OPEN_ACCOUNT, id, parentId, name, kind, bucket),
    changeAccount: (accountId, { parentId = null, name = null }) => change(CHANGE_ACCOUNT, accountId, parentId, name),
    setStatus: (accountId, status) => change(SET_STATUS, accountId, status),
    setTiers: (accountId, tiers) => change(SET_TIERS, accountId, tiers),
    setRegions: (accountId, regions) => change(SET_REGIONS, accountId, regions),
    closeAccount: (accountId) => change(CLOSE_ACCOUNT, accountId),
    openCounter: ({ kind, unit, amount, period, models, actor, ...holder }) => {
      const [accountId, keyId] = "accountId" in holder ? [holder.accountId, null] : [null, holder.keyId];
      return change(OPEN_COUNTER, accountId, keyId, kind, unit, amount, period, models, actor);
    },
    closeCounter: (counter) => change(CLOSE_COUNTER, counter),
    moveKey: (keyId, accountId) => change(MOVE_KEY, keyId, accountId),
    adoptKey: (keyId, accountId) => change(ADOPT_KEY, keyId, accountId),
    rechain: async () => {
      const [row] = await queryable.query<{ owed: boolean }>(
        "select rechain_v1() as owed where on_line_v1($1::uuid, true)",
        [LINE],
      );
      return row?.owed ?? false;
    },
  };
}
