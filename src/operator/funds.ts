import type { BudgetPeriod } from "../core/budget-period.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { invariant } from "../core/invariant.ts";
import { readCredits } from "../core/read-credits.ts";
import type { TopUpKind } from "../core/top-up-kind.ts";
import type { AccountStore } from "../ledger/account-store.ts";
import { type AccountView, accountView, type FindAccount } from "../ledger/account.ts";
import type { Funded, Ledger } from "../ledger/ledger.ts";

/** Amounts are decimals as text. `reference` names the operation: repeated, it changes nothing. */
export type TopUpRequest = { amount: string; kind: TopUpKind; reference: string };
/** Without a period the key keeps the one it has. */
export type BudgetRequest = { budget: number; period: BudgetPeriod | null; reference: string };

export type FundedView = {
  key: { id: string; prefix: string };
  /** `already`: this reference had been booked before, and nothing changed. */
  result: "funded" | "already";
  reference: string;
  account: AccountView;
};

/** What operators do with the money of a key, whichever way they come. KEY is an id or prefix. */
export type ManageFunds = {
  show: (idOrPrefix: string) => Promise<AccountView>;
  topUp: (idOrPrefix: string, request: TopUpRequest) => Promise<FundedView>;
  setBudget: (idOrPrefix: string, request: BudgetRequest) => Promise<FundedView>;
};

type Parts = {
  ledger: Pick<Ledger, "fund" | "setBudget" | "usage">;
  accounts: AccountStore;
  findKey: FindAccount;
  /** Stands in the journal beside what was done. */
  actor: string;
};

type Named = Awaited<ReturnType<FindAccount>>;

export function createManageFunds({ ledger, accounts, findKey, actor }: Parts): ManageFunds {
  async function accountOf(keyId: string): Promise<AccountView> {
    const summary = await ledger.usage(keyId);
    invariant(summary, "every key has a balance");
    return accountView(summary, await accounts.period(keyId));
  }

  async function answered(key: Named, reference: string, { kind }: Funded): Promise<FundedView> {
    if (kind !== "funded" && kind !== "already") throw await refusal(kind, key, reference);
    return { key: { id: key.id, prefix: key.prefix }, result: kind, reference, account: await accountOf(key.id) };
  }

  async function refusal(kind: Refused, key: Named, reference: string): Promise<Error> {
    const paidTo = kind === "reference_reuse" ? await accounts.paidTo(reference) : null;
    if (paidTo !== null && paidTo !== key.id)
      return new Conflict(
        `reference ${reference} is a payment that was booked to key ${paidTo}; a payment is booked once. Nothing was booked.`,
      );
    if (kind !== "reserved") return new Conflict(REFUSALS[kind]({ ...key, reference }));
    const { available } = await accountOf(key.id);
    return new Conflict(`cannot take that much from key ${key.prefix}…: only ${available} is not reserved.`);
  }

  return {
    show: async (idOrPrefix) => accountOf((await findKey(idOrPrefix)).id),
    topUp: async (idOrPrefix, { amount: text, kind, reference }) => {
      const amount = readCredits(text, "amount");
      checkAmount(amount, kind);
      checkReference(reference);
      const key = await findKey(idOrPrefix);
      const funded = await ledger.fund({ keyId: key.id, reference, kind, amount, about: null, actor });
      return answered(key, reference, funded);
    },
    setBudget: async (idOrPrefix, { budget, period, reference }) => {
      checkReference(reference);
      const key = await findKey(idOrPrefix);
      const change = {
        keyId: key.id,
        reference,
        budget: BigInt(budget),
        period: period ?? (await accounts.period(key.id)),
      };
      return answered(key, reference, await ledger.setBudget({ ...change, actor }));
    },
  };
}

type Refused = Exclude<Funded["kind"], "funded" | "already">;

const REFUSALS: Record<Exclude<Refused, "reserved">, (key: Named & { reference: string }) => string> = {
  reference_reuse: ({ prefix, reference }) =>
    `reference ${reference} was already used for key ${prefix}… with another amount, kind or period; nothing was booked.`,
  wrong_unit: ({ prefix, mode }) =>
    mode === "credit"
      ? `key ${prefix}… pays with credit and has no token budget; top it up instead.`
      : `key ${prefix}… has a token budget and no credit; set its budget instead.`,
  unknown_key: ({ prefix }) => `key ${prefix}… has no account.`,
  too_much: ({ prefix }) =>
    `the books of key ${prefix}… hold 9,223,372,036 credits over its whole life, and this would be more; nothing was booked. Make another key.`,
  refused: ({ prefix }) => `this cannot be booked to key ${prefix}….`,
};

function checkAmount(amount: bigint, kind: TopUpKind): void {
  if (amount === 0n)
    throw new Fault("invalid_request", "amount: Nothing to book: the amount is 0", { param: "amount" });
  if (amount > 0n || kind === "adjust") return;
  const message = "amount: Only an adjustment (kind adjust) may be negative";
  throw new Fault("invalid_request", message, { param: "amount" });
}

/** The ledger's own entries begin with #. */
function checkReference(reference: string): void {
  if (!reference.startsWith("#")) return;
  throw new Fault("invalid_request", "reference: References that begin with # are the ledger's own", {
    param: "reference",
  });
}
