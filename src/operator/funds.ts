import { formatAmount, type Unit } from "../core/amount.ts";
import { type BudgetPeriod, DEFAULT_PERIOD } from "../core/budget-period.ts";
import type { By } from "../core/by.ts";
import { Conflict } from "../core/conflict.ts";
import { invariant } from "../core/invariant.ts";
import type { NanoCredits } from "../core/money.ts";
import type { TopUpKind } from "../core/top-up-kind.ts";
import type { AccountStore } from "../ledger/account.ts";
import type { FundFirst } from "../ledger/fund-first.ts";
import { type FindFunded, type FundedHolder, type KeyFunds, keyFundsOf } from "../ledger/key-funds.ts";
import type { CounterSummary, Funded, Ledger } from "../ledger/ledger.ts";
import type { Structure } from "../ledger/structure.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import { bookingRefusal, checkAmount, checkReference } from "./booking.ts";
import type { RequireGiven } from "./require-given.ts";
import { refusalOf } from "./structure-refusal.ts";

/** `reference` names the operation: repeated, it changes nothing. */
export type TopUp = { amount: NanoCredits; kind: TopUpKind; reference: string };
/** Without a period the key keeps the one it has. */
export type BudgetOrder = { budget: bigint; period: BudgetPeriod | null; reference: string };

export type FundedKey = {
  key: { id: string; prefix: string };
  /** `already`: this reference had been booked before, and nothing changed. */
  result: "funded" | "already";
  reference: string;
  funds: KeyFunds;
};

/** What operators do with the money of a key, which is named by its id or its prefix. */
export type ManageFunds = {
  /** Counters above a lead's accounts are not theirs to see. */
  show: (name: string, by?: Pick<By, "within">) => Promise<KeyFunds>;
  topUp: (name: string, order: TopUp, by: By) => Promise<FundedKey>;
  setBudget: (name: string, order: BudgetOrder, by: By) => Promise<FundedKey>;
};

type Parts = {
  ledger: Pick<Ledger, "fund" | "setLimit" | "usage">;
  fundFirst: FundFirst;
  structure: Pick<Structure, "openCounter">;
  accounts: Pick<AccountStore, "paidTo" | "counter" | "byId">;
  findKey: FindFunded;
  requireGiven: RequireGiven;
  events: Pick<OperatorEvents, "fundsBooked">;
};

type Booking = { kind: string; amount: string; reference: string };

// oxlint-disable-next-line max-lines-per-function -- one short operation after the other.
export function createManageFunds({
  ledger,
  fundFirst,
  structure,
  accounts,
  findKey,
  requireGiven,
  events,
}: Parts): ManageFunds {
  async function fundsAt(keyId: string): Promise<KeyFunds> {
    const summary = await ledger.usage(keyId);
    invariant(summary, "every key has a balance");
    return keyFundsOf(summary);
  }

  /** From the lead's account down. What the key can spend is its own matter, whoever pays. */
  async function visible(key: FundedHolder, funds: KeyFunds, { within }: Pick<By, "within">): Promise<KeyFunds> {
    if (within === undefined) return funds;
    const { path = [] } = (await accounts.byId(key.accountId)) ?? {};
    const from = path.findIndex((id) => within.includes(id));
    const shown = from === -1 ? [] : path.slice(from);
    return {
      ...funds,
      counters: funds.counters.filter(({ own, accountId }) => own || accountId === null || shown.includes(accountId)),
    };
  }

  type To = { key: FundedHolder; counter: { id: number | null; unit: Unit } };
  async function answered({ key, counter }: To, { kind }: Funded, booking: Booking & By): Promise<FundedKey> {
    const { reference } = booking;
    if (kind !== "funded" && kind !== "already") {
      const to = { counter: counter.id, unit: counter.unit, holder: `Key ${key.prefix}…`, reference };
      throw await bookingRefusal(kind, to, accounts);
    }
    if (kind === "funded") events.fundsBooked({ keyId: key.id, prefix: key.prefix, ...booking });
    return {
      key: { id: key.id, prefix: key.prefix },
      result: kind,
      reference,
      funds: await visible(key, await fundsAt(key.id), booking),
    };
  }

  /** A key in a tree has no purse until it is given one, and cannot have one where an account pays. */
  async function purseOf(key: FundedHolder): Promise<number | null> {
    const { counters } = await fundsAt(key.id);
    const payer = counters.find(({ kind }) => kind === "purse");
    if (payer !== undefined && payer.accountId === null) return payer.id;
    if (payer?.accountId != null) {
      const title = (await accounts.byId(payer.accountId))?.title ?? payer.holder ?? "its account";
      throw new Conflict(
        `Account ${title} pays for key ${key.prefix}…. Nothing was booked. Top up the account: tollgate accounts topup ${JSON.stringify(title)}`,
      );
    }
    if (isLone(key))
      throw new Conflict(
        `Key ${key.prefix}… is a token-budget key and has no credit. Nothing was booked. Set its budget instead.`,
      );
    return null;
  }

  async function opened(changed: Awaited<ReturnType<Structure["openCounter"]>>): Promise<CounterSummary> {
    if (changed.result !== "done") throw refusalOf(changed);
    const counter = await accounts.counter(changed.counter ?? 0);
    invariant(counter, "an opened counter is there");
    return counter;
  }

  return {
    show: async (name, by = {}) => {
      const key = await findKey(name);
      return visible(key, await fundsAt(key.id), by);
    },
    topUp: async (name, { amount, kind, reference }, by) => {
      checkAmount(amount, kind);
      checkReference(reference);
      const key = await findKey(name);
      const purse = await purseOf(key);
      const funding = { reference, kind, amount, actor: by.actor };
      const funded =
        purse === null
          ? await fundFirst({ keyId: key.id }, funding)
          : { counter: purse, ...(await ledger.fund({ counter: purse, ...funding })) };
      return answered({ key, counter: { id: funded.counter, unit: "credit" } }, funded, {
        kind,
        amount: formatAmount("credit", amount),
        reference,
        ...by,
      });
    },
    setBudget: async (name, { budget, period, reference }, by) => {
      checkReference(reference);
      const key = await findKey(name);
      const { actor } = by;
      const { path = [] } = (by.within && (await accounts.byId(key.accountId))) ?? {};
      await requireGiven(path, [{ unit: "tokens", models: null }], by);
      const booking = { kind: "budget", amount: formatAmount("tokens", budget), reference, ...by };
      const budgetIn = (counter: CounterSummary): boolean =>
        counter.accountId === null && counter.kind === "limit" && counter.unit === "tokens" && counter.models === null;
      const own = (await fundsAt(key.id)).counters.filter(budgetIn);
      const counter = isLone(key) ? own[0] : own.find((limit) => period === null || limit.period === period);
      if (counter !== undefined) {
        const change = { counter: counter.id, reference, amount: budget, period: period ?? counter.period, actor };
        return answered({ key, counter }, await ledger.setLimit(change), booking);
      }
      if (isLone(key))
        throw new Conflict(
          `Key ${key.prefix}… is a credit key and has no token budget. Nothing was booked. Top it up instead.`,
        );
      const order = { kind: "limit", unit: "tokens", amount: budget, models: null, actor } as const;
      const made = await structure.openCounter({ keyId: key.id, ...order, period: period ?? DEFAULT_PERIOD });
      return answered({ key, counter: await opened(made) }, { kind: "funded" }, booking);
    },
  };
}

/** Whether it is its own account. */
const isLone = ({ id, accountId }: FundedHolder): boolean => id === accountId;
