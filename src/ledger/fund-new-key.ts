import type { BudgetPeriod } from "../core/budget-period.ts";
import { invariant } from "../core/invariant.ts";
import type { NanoCredits } from "../core/money.ts";
import type { Ledger } from "./ledger.ts";

type OpeningFunds = { kind: "credit"; amount: NanoCredits } | { kind: "budget"; tokens: bigint; period: BudgetPeriod };

/** Books what a key starts with, under a reference made from the key: there can be one such entry and no second. */
export const createFundNewKey =
  ({ ledger, actor }: { ledger: Pick<Ledger, "fund" | "setBudget">; actor: string }) =>
  async (keyId: string, funds: OpeningFunds): Promise<void> => {
    const reference = `create:${keyId}`;
    const { kind } =
      funds.kind === "credit"
        ? await ledger.fund({ keyId, reference, kind: "purchase", amount: funds.amount, about: null, actor })
        : await ledger.setBudget({ keyId, reference, budget: funds.tokens, period: funds.period, actor });
    invariant(kind === "funded", "a new key takes what it starts with");
  };
