import { formatAmount, type Unit } from "../../core/money/amount.ts";
import { type BudgetPeriod, DEFAULT_PERIOD } from "../../core/money/budget-period.ts";
import type { By } from "../../core/people/by.ts";
import { Conflict } from "../../core/conflict.ts";
import { invariant } from "../../core/invariant.ts";
import type { NanoCredits } from "../../core/money/money.ts";
import type { TopUpKind } from "../../core/money/top-up-kind.ts";
import type { AccountStore } from "../../ledger/structure/account.ts";
import type { FundFirst } from "../../ledger/structure/fund-first.ts";
import { type FindFunded, type FundedHolder, type KeyFunds, keyFundsOf } from "../../ledger/report/key-funds.ts";
import type { CounterSummary, Funded, Ledger } from "../../ledger/ledger.ts";
import type { Structure } from "../../ledger/structure/structure.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { bookingRefusal, checkAmount, checkReference } from "./booking.ts";
import type { RequireGiven } from "../find/require-given.ts";
import { refusalOf } from "../structure-refusal.ts";

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

export const createManageFunds = (parts: Parts): ManageFunds => ({
  show: async (name, by = {}) => visibleFunds(parts, await parts.findKey(name), by),
  topUp: topUp(parts),
  setBudget: setBudget(parts),
});

const topUp =
  (parts: Parts): ManageFunds["topUp"] =>
  async (name, { amount, kind, reference }, by) => {
    const { ledger, fundFirst, findKey } = parts;
    checkAmount(amount, kind);
    checkReference(reference);
    const key = await findKey(name);
    const purse = await purseOf(parts, key);
    const funding = { reference, kind, amount, actor: by.actor };
    const funded =
      purse === null
        ? await fundFirst({ keyId: key.id }, funding)
        : { counter: purse, ...(await ledger.fund({ counter: purse, ...funding })) };
    const booking = { kind, amount: formatAmount("credit", amount), reference, ...by };
    const { kind: result, counter } = funded;
    return fundedKey(parts, { key, counter: { id: counter, unit: "credit" }, result, booking });
  };

const setBudget =
  (parts: Parts): ManageFunds["setBudget"] =>
  async (name, { budget, period, reference }, by) => {
    const { ledger, structure, accounts, findKey, requireGiven } = parts;
    checkReference(reference);
    const key = await findKey(name);
    const { actor } = by;
    const { path = [] } = (by.within && (await accounts.byId(key.accountId))) ?? {};
    await requireGiven(path, [{ unit: "tokens", models: null }], by);
    const booking = { kind: "budget", amount: formatAmount("tokens", budget), reference, ...by };
    const own = (await fundsAt(parts, key.id)).counters.filter(isBudget);
    const counter = isLone(key) ? own[0] : own.find((limit) => period === null || limit.period === period);
    if (counter !== undefined) {
      const change = { counter: counter.id, reference, amount: budget, period: period ?? counter.period, actor };
      const { kind: result } = await ledger.setLimit(change);
      return fundedKey(parts, { key, counter, result, booking });
    }
    if (isLone(key))
      throw new Conflict(
        `Key ${key.prefix}… is a credit key and has no token budget. Nothing was booked. Top it up instead.`,
      );
    const order = { kind: "limit", unit: "tokens", amount: budget, models: null, actor } as const;
    const made = await structure.openCounter({ keyId: key.id, ...order, period: period ?? DEFAULT_PERIOD });
    if (made.result !== "done") throw refusalOf(made);
    const opened = await accounts.counter(made.counter ?? 0);
    invariant(opened, "an opened counter is there");
    return fundedKey(parts, { key, counter: opened, result: "funded", booking });
  };

type Booked = {
  key: FundedHolder;
  counter: { id: number | null; unit: Unit };
  result: Funded["kind"];
  booking: Booking & By;
};

/** The key after a booking, which is reported; one that the ledger refused is thrown. */
async function fundedKey(parts: Parts, { key, counter, result, booking }: Booked): Promise<FundedKey> {
  const { id, prefix } = key;
  const { reference } = booking;
  if (result !== "funded" && result !== "already") {
    const to = { counter: counter.id, unit: counter.unit, holder: `Key ${prefix}…`, reference };
    throw await bookingRefusal(result, to, parts.accounts);
  }
  if (result === "funded") parts.events.fundsBooked({ keyId: id, prefix, ...booking });
  return { key: { id, prefix }, result, reference, funds: await visibleFunds(parts, key, booking) };
}

async function fundsAt({ ledger }: Pick<Parts, "ledger">, keyId: string): Promise<KeyFunds> {
  const summary = await ledger.usage(keyId);
  invariant(summary, "every key has a balance");
  return keyFundsOf(summary);
}

/** From the lead's account down. What the key can spend is its own matter, whoever pays. */
async function visibleFunds(parts: Parts, key: FundedHolder, { within }: Pick<By, "within">): Promise<KeyFunds> {
  const funds = await fundsAt(parts, key.id);
  if (within === undefined) return funds;
  const { path = [] } = (await parts.accounts.byId(key.accountId)) ?? {};
  const from = path.findIndex((id) => within.includes(id));
  const shown = from === -1 ? [] : path.slice(from);
  return {
    ...funds,
    counters: funds.counters.filter(({ own, accountId }) => own || accountId === null || shown.includes(accountId)),
  };
}

/** A key in a tree has no purse until it is given one, and cannot have one where an account pays. */
async function purseOf(parts: Parts, key: FundedHolder): Promise<number | null> {
  const { counters } = await fundsAt(parts, key.id);
  const payer = counters.find(({ kind }) => kind === "purse");
  if (payer !== undefined && payer.accountId === null) return payer.id;
  if (payer?.accountId != null) {
    const title = (await parts.accounts.byId(payer.accountId))?.title ?? payer.holder ?? "its account";
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

/** Whether it is a budget of the key, not of an account above it. */
const isBudget = ({ accountId, kind, unit, models }: CounterSummary): boolean =>
  accountId === null && kind === "limit" && unit === "tokens" && models === null;

/** Whether it is its own account. */
const isLone = ({ id, accountId }: FundedHolder): boolean => id === accountId;
