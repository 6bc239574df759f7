import { LINE, type Queryable } from "../../db/database.ts";
import type { PeriodAhead, RepairPeriods } from "./period-repair.ts";

const AHEAD = `
  select c.id as counter, c.key_id as "keyId", o.account_id as "accountId",
         coalesce(nullif(array_to_string(o.account_path, '/'), ''), o.key_label, o.key_prefix, c.key_id::text, '') as holder,
         c.unit, c.period, c.amount::bigint as amount, c.period_from as "aheadAt"
    from counter_anywhere c left join counter_owner o on o.counter = c.id
   where c.closed_at is null and c.kind = 'limit' and c.period_from > ledger_now() + interval '1 hour' order by c.id`;

const BRING_BACK = `
  select result, begins_at as "beginsAt", ends_at as "endsAt", used, posted
    from period_back_v1(on_line_v1($4::uuid, $1::int), $2, $3)`;

type Ahead = Omit<PeriodAhead, "beginsAt" | "endsAt" | "used" | "posted" | "result">;
type Answer = Pick<PeriodAhead, "beginsAt" | "endsAt" | "used" | "posted"> & {
  result: PeriodAhead["result"] | "not_ahead";
};

/** One limit in each call: the locks of several would be taken in an order of their own. */
export const createRepairPeriods =
  (queryable: Queryable): RepairPeriods =>
  async ({ apply, actor }) => {
    const found: PeriodAhead[] = [];
    for (const ahead of await queryable.query<Ahead>(AHEAD)) {
      const [answer] = await queryable.query<Answer>(BRING_BACK, [ahead.counter, actor, apply, LINE]);
      // It began, or somebody else was faster.
      if (answer === undefined || answer.result === "not_ahead") continue;
      found.push({ ...ahead, ...answer, result: answer.result });
    }
    return found;
  };
