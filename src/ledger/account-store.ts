import type { BudgetPeriod } from "../core/budget-period.ts";
import { invariant } from "../core/invariant.ts";
import type { Queryable } from "../db/database.ts";

/** What operators ask of a balance that the ledger's own calls do not say. */
export type AccountStore = { period: (keyId: string) => Promise<BudgetPeriod> };

export function createAccountStore(queryable: Queryable): AccountStore {
  return {
    period: async (keyId) => {
      const [row] = await queryable.query<{ period: BudgetPeriod }>("select period from balance where key_id = $1", [
        keyId,
      ]);
      invariant(row, "every key has a balance");
      return row.period;
    },
  };
}
