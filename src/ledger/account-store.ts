import type { BudgetPeriod } from "../core/budget-period.ts";
import { invariant } from "../core/invariant.ts";
import type { Queryable } from "../db/database.ts";

/** What operators ask of a balance that the ledger's own calls do not say. */
export type AccountStore = {
  period: (keyId: string) => Promise<BudgetPeriod>;
  /** The key that a payment was booked to; null when there is none. */
  paidTo: (reference: string) => Promise<string | null>;
};

const PAID_TO = `
  select key_id as "keyId" from funding where reference = $1 and kind = 'purchase' and seq is not null
  union all
  select key_id from funding where reference = $1 and kind = 'purchase' and seq is null
   limit 1`;

export function createAccountStore(queryable: Queryable): AccountStore {
  return {
    period: async (keyId) => {
      const [row] = await queryable.query<{ period: BudgetPeriod }>("select period from balance where key_id = $1", [
        keyId,
      ]);
      invariant(row, "every key has a balance");
      return row.period;
    },
    paidTo: async (reference) => {
      const [row] = await queryable.query<{ keyId: string }>(PAID_TO, [reference]);
      return row?.keyId ?? null;
    },
  };
}
