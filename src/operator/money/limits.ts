import { formatAmount, type Unit } from "../../core/money/amount.ts";
import type { BudgetPeriod } from "../../core/money/budget-period.ts";
import type { By } from "../../core/people/by.ts";
import type { Clock } from "../../core/clock.ts";
import { createId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { AccountStore, HeldCounter } from "../../ledger/structure/account.ts";
import type { CounterSummary, Ledger } from "../../ledger/ledger.ts";
import type { CounterHolder, Structure } from "../../ledger/structure/structure.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { bookingRefusal } from "./booking.ts";
import type { RequireGiven } from "../find/require-given.ts";
import { refusalOf } from "../structure-refusal.ts";

/** Which limit of a holder is meant: it has one for a unit, a period and a list of models. */
export type WhichLimit = { unit: Unit; period: BudgetPeriod; models: readonly string[] | null };
export type LimitOrder = WhichLimit & { amount: bigint };

/** `already`: it was so before. */
export type LimitSet = { result: "set" | "already"; counter: CounterSummary };
export type LimitRemoved = { result: "removed" | "already" };

/** Whose limit, how it is named to people, and the accounts from the root down to it. */
export type LimitHolder = { of: CounterHolder; title: string; path: readonly string[] };

/** What each may spend in a period, beside who pays. */
export type Limits = {
  set: (holder: LimitHolder, order: LimitOrder, by: By) => Promise<LimitSet>;
  remove: (holder: LimitHolder, which: WhichLimit, by: By) => Promise<LimitRemoved>;
};

type Parts = {
  ledger: Pick<Ledger, "setLimit">;
  structure: Pick<Structure, "openCounter" | "closeCounter" | "rechain">;
  accounts: Pick<AccountStore, "counter" | "countersOf" | "countersOfKeys" | "paidTo">;
  requireGiven: RequireGiven;
  events: Pick<OperatorEvents, "limitChanged">;
  clock: Pick<Clock, "nowMs">;
};

export function createLimits({ ledger, structure, accounts, requireGiven, events, clock }: Parts): Limits {
  async function counterAt(id: number | null): Promise<HeldCounter> {
    const counter = await accounts.counter(id ?? 0);
    invariant(counter, "a limit that was just set is there");
    return counter;
  }

  return {
    set: async ({ of, title, path }, { amount, unit, period, models }, by) => {
      await requireGiven(path, [{ unit, models }], by);
      const note = { holder: title, unit, period, models, amount: formatAmount(unit, amount), ...by };
      const order = { kind: "limit", unit, amount, period, models, actor: by.actor } as const;
      const opened = await structure.openCounter({ ...of, ...order });
      if (opened.result === "exists") {
        const before = await counterAt(opened.counter);
        if (before.amount === amount) return { result: "already", counter: before };
        const reference = `limit:${createId(clock.nowMs())}`;
        const { kind } = await ledger.setLimit({ counter: before.id, reference, amount, period, actor: by.actor });
        const booked = { counter: before.id, unit, holder: title, reference };
        if (kind !== "funded" && kind !== "already") throw await bookingRefusal(kind, booked, accounts);
      } else if (opened.result === "done") {
        await finish(structure);
      } else {
        throw refusalOf(opened);
      }
      events.limitChanged(note);
      return { result: "set", counter: await counterAt(opened.counter) };
    },

    remove: async ({ of, title, path }, { unit, period, models }, by) => {
      await requireGiven(path, [{ unit, models }], by);
      const counters =
        "accountId" in of ? await accounts.countersOf([of.accountId]) : await accounts.countersOfKeys([of.keyId]);
      const meant = counters.find(
        (counter) =>
          counter.kind === "limit" &&
          counter.unit === unit &&
          counter.period === period &&
          sameModels(counter.models, models),
      );
      if (meant === undefined) return { result: "already" };
      const closed = await structure.closeCounter(meant.id);
      if (closed.result !== "done" && closed.result !== "already") throw refusalOf(closed);
      await finish(structure);
      events.limitChanged({ holder: title, unit, period, models, amount: null, ...by });
      return { result: "removed" };
    },
  };
}

/** Lets all keys below learn of a change that is made. What fails is left to the background task, which does the same. */
export async function finish({ rechain }: Pick<Structure, "rechain">): Promise<void> {
  while (await rechain().catch(() => false));
}

const sameModels = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  JSON.stringify(one === null ? null : [...new Set(one)].toSorted()) ===
  JSON.stringify(other === null ? null : [...new Set(other)].toSorted());
