import type { Funded, Funding, Ledger } from "../ledger.ts";
import type { Changed, CounterHolder, Structure } from "./structure.ts";

/** Books a holder's first payment to a purse that is opened for it. Refused, there is no purse: an empty one would refuse requests. */
export type FundFirst = (
  holder: CounterHolder,
  funding: Omit<Funding, "counter">,
) => Promise<Funded & { counter: number | null }>;

type Books = { ledger: Pick<Ledger, "fund">; structure: Pick<Structure, "openCounter"> };
type Parts = {
  /** Undoes all of it when the work throws. */
  atomically: <T>(work: (books: Books) => Promise<T>) => Promise<T>;
  refusalOf: (changed: Changed) => Error;
};

class Undone extends Error {
  readonly why: Funded;
  constructor(why: Funded) {
    super(`the payment was refused: ${why.kind}`);
    this.why = why;
  }
}

export const createFundFirst =
  ({ atomically, refusalOf }: Parts): FundFirst =>
  async (holder, funding) => {
    const order = { kind: "purse", unit: "credit", amount: 0n, period: "none", models: null } as const;
    try {
      return await atomically(async ({ ledger, structure }) => {
        const opened = await structure.openCounter({ ...holder, ...order, actor: funding.actor });
        // Another payment may have opened it meanwhile.
        if (opened.counter === null) throw refusalOf(opened);
        const funded = await ledger.fund({ counter: opened.counter, ...funding });
        if (funded.kind !== "funded" && funded.kind !== "already") throw new Undone(funded);
        return { ...funded, counter: opened.counter };
      });
    } catch (error) {
      if (error instanceof Undone) return { ...error.why, counter: null };
      throw error;
    }
  };
