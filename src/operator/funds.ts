import { formatAmount } from "../core/amount.ts";
import type { BudgetPeriod } from "../core/budget-period.ts";
import type { By } from "../core/by.ts";
import { Conflict } from "../core/conflict.ts";
import { fieldFault } from "../core/fault.ts";
import { invariant } from "../core/invariant.ts";
import type { NanoCredits } from "../core/money.ts";
import { inputShouldBe } from "../core/parsed-texts.ts";
import type { TopUpKind } from "../core/top-up-kind.ts";
import type { AccountStore } from "../ledger/account-store.ts";
import { type Account, type AccountHolder, accountOf, type FindAccount } from "../ledger/account.ts";
import type { Funded, Ledger } from "../ledger/ledger.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";

/** `reference` names the operation: repeated, it changes nothing. */
export type TopUp = { amount: NanoCredits; kind: TopUpKind; reference: string };
/** Without a period the key keeps the one it has. */
export type BudgetOrder = { budget: bigint; period: BudgetPeriod | null; reference: string };

export type FundedKey = {
  key: { id: string; prefix: string };
  /** `already`: this reference had been booked before, and nothing changed. */
  result: "funded" | "already";
  reference: string;
  account: Account;
};

/** What operators do with the money of a key, which is named by its id or its prefix. */
export type ManageFunds = {
  show: (name: string) => Promise<Account>;
  topUp: (name: string, order: TopUp, by: By) => Promise<FundedKey>;
  setBudget: (name: string, order: BudgetOrder, by: By) => Promise<FundedKey>;
};

type Parts = {
  ledger: Pick<Ledger, "fund" | "setBudget" | "usage">;
  accounts: AccountStore;
  findKey: FindAccount;
  events: Pick<OperatorEvents, "fundsBooked">;
};

type Booking = { kind: string; amount: string; reference: string };

export function createManageFunds({ ledger, accounts, findKey, events }: Parts): ManageFunds {
  async function accountAt(keyId: string): Promise<Account> {
    const summary = await ledger.usage(keyId);
    invariant(summary, "every key has a balance");
    return accountOf(summary, await accounts.period(keyId));
  }

  async function answered(key: AccountHolder, { kind }: Funded, booking: Booking & By): Promise<FundedKey> {
    const { reference } = booking;
    if (kind !== "funded" && kind !== "already") throw await refusal(kind, key, reference);
    if (kind === "funded") events.fundsBooked({ keyId: key.id, prefix: key.prefix, ...booking });
    return { key: { id: key.id, prefix: key.prefix }, result: kind, reference, account: await accountAt(key.id) };
  }

  async function refusal(kind: Refused, key: AccountHolder, reference: string): Promise<Error> {
    const paidTo = kind === "reference_reuse" ? await accounts.paidTo(reference) : null;
    if (paidTo !== null && paidTo !== key.id)
      return new Conflict(
        `Reference ${reference} was already used for a payment to key ${paidTo}. Nothing was booked. Use a new reference for each payment.`,
      );
    if (kind !== "reserved") return new Conflict(REFUSALS[kind]({ ...key, reference }));
    const { unit, available } = await accountAt(key.id);
    const left = `${formatAmount(unit, available)} ${unit === "credit" ? "credits" : "tokens"}`;
    return new Conflict(`Key ${key.prefix}… has only ${left} available. Nothing was booked.`);
  }

  return {
    show: async (name) => accountAt((await findKey(name)).id),
    topUp: async (name, { amount, kind, reference }, by) => {
      checkAmount(amount, kind);
      checkReference(reference);
      const key = await findKey(name);
      const { actor } = by;
      const funded = await ledger.fund({ keyId: key.id, reference, kind, amount, about: null, actor });
      return answered(key, funded, { kind, amount: formatAmount("credit", amount), reference, ...by });
    },
    setBudget: async (name, { budget, period, reference }, by) => {
      checkReference(reference);
      const key = await findKey(name);
      const change = { keyId: key.id, reference, budget, period: period ?? (await accounts.period(key.id)) };
      const funded = await ledger.setBudget({ ...change, actor: by.actor });
      return answered(key, funded, { kind: "budget", amount: formatAmount("tokens", budget), reference, ...by });
    },
  };
}

type Refused = Exclude<Funded["kind"], "funded" | "already">;

const REFUSALS: Record<Exclude<Refused, "reserved">, (key: AccountHolder & { reference: string }) => string> = {
  reference_reuse: ({ prefix, reference }) =>
    `Reference ${reference} was already used for key ${prefix}… with another amount, kind or period. Nothing was booked.`,
  wrong_unit: ({ prefix, mode }) =>
    mode === "credit"
      ? `Key ${prefix}… is a credit key and has no token budget. Top it up instead.`
      : `Key ${prefix}… is a token-budget key and has no credit. Set its budget instead.`,
  unknown_key: ({ prefix }) => `Key ${prefix}… has no account.`,
  too_much: ({ prefix }) =>
    `Key ${prefix}… would exceed 9,223,372,036 credits over its lifetime, the limit per key. Nothing was booked. Create another key.`,
  refused: ({ prefix }) => `This can't be booked to key ${prefix}….`,
};

function checkAmount(amount: bigint, kind: TopUpKind): void {
  if (amount === 0n) throw fieldFault("amount", inputShouldBe("other than 0"));
  if (amount > 0n || kind === "adjust") return;
  throw fieldFault("amount", inputShouldBe("greater than 0; only kind `adjust` accepts a negative amount"));
}

/** The ledger's own entries begin with #. */
function checkReference(reference: string): void {
  if (!reference.startsWith("#")) return;
  throw fieldFault("reference", "References that begin with # are reserved for the ledger. Use another reference.");
}
