import type { By } from "../../core/people/by.ts";
import { invariant } from "../../core/invariant.ts";
import { type OpeningFunds, openingReference } from "../../core/money/opening-funds.ts";
import type { Ledger } from "../ledger.ts";
import type { Changed, Structure } from "./structure.ts";

type Parts = {
  ledger: Pick<Ledger, "fund" | "setLimit" | "usage">;
  structure: Pick<Structure, "openCounter">;
  refusalOf: (changed: Changed) => Error;
};

/** Books what a key starts with: to the counter that a lone key has from its first moment, or to a new one of a key in a tree. */
export const createFundNewKey =
  ({ ledger, structure, refusalOf }: Parts) =>
  async (keyId: string, funds: OpeningFunds, { actor }: By): Promise<void> => {
    const reference = openingReference(keyId);
    const own = (await ledger.usage(keyId))?.counters.find((counter) => counter.own);
    if (own === undefined) {
      const order =
        funds.kind === "credit"
          ? ({ kind: "purse", unit: "credit", amount: 0n, period: "none" } as const)
          : ({ kind: "limit", unit: "tokens", amount: funds.tokens, period: funds.period } as const);
      const opened = await structure.openCounter({ keyId, ...order, models: null, actor });
      if (opened.result !== "done" || opened.counter === null) throw refusalOf(opened);
      if (funds.kind === "credit") await fund(opened.counter, funds.amount);
      return;
    }
    if (funds.kind === "credit") {
      await fund(own.id, funds.amount);
      return;
    }
    const change = { counter: own.id, reference, amount: funds.tokens, period: funds.period, actor };
    invariant((await ledger.setLimit(change)).kind === "funded", "a new key takes what it starts with");

    async function fund(counter: number, amount: bigint): Promise<void> {
      const { kind } = await ledger.fund({ counter, reference, kind: "purchase", amount, actor });
      invariant(kind === "funded", "a new key takes what it starts with");
    }
  };
