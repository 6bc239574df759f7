import type { By } from "../core/by.ts";
import { invariant } from "../core/invariant.ts";
import { type OpeningFunds, openingReference } from "../core/opening-funds.ts";
import type { Ledger } from "./ledger.ts";

/** Books what a key starts with. */
export const createFundNewKey =
  ({ ledger }: { ledger: Pick<Ledger, "fund" | "setBudget"> }) =>
  async (keyId: string, funds: OpeningFunds, { actor }: By): Promise<void> => {
    const reference = openingReference(keyId);
    const { kind } =
      funds.kind === "credit"
        ? await ledger.fund({ keyId, reference, kind: "purchase", amount: funds.amount, about: null, actor })
        : await ledger.setBudget({ keyId, reference, budget: funds.tokens, period: funds.period, actor });
    invariant(kind === "funded", "a new key takes what it starts with");
  };
