import { formatAmount, type Unit } from "../../core/money/amount.ts";
import { Conflict } from "../../core/conflict.ts";
import { fieldFault } from "../../core/fault.ts";
import { inputShouldBe } from "../../core/request/parsed-texts.ts";
import type { TopUpKind } from "../../core/money/top-up-kind.ts";
import type { AccountStore } from "../../ledger/structure/account.ts";
import type { Funded } from "../../ledger/ledger.ts";

/** What was to be booked to: a purse or a limit, or null for a purse to be, and how its holder is named to people. */
export type Booked = { counter: number | null; unit: Unit; holder: string; reference: string };

type Refused = Exclude<Funded["kind"], "funded" | "already">;

/** Why a booking was refused. Nothing was booked. */
export async function bookingRefusal(
  kind: Refused,
  { counter, unit, holder, reference }: Booked,
  store: Pick<AccountStore, "paidTo" | "counter">,
): Promise<Error> {
  const paid = kind === "reference_reuse" ? await store.paidTo(reference) : null;
  if (paid !== null && paid.id !== counter)
    return new Conflict(
      `Reference ${reference} was already used for a payment to ${paid.holder}. Nothing was booked. Use a new reference for each payment.`,
    );
  if (kind !== "reserved") return new Conflict(`${REFUSALS[kind]({ holder, reference })} Nothing was booked.`);
  const found = counter === null ? null : await store.counter(counter);
  const left = formatAmount(unit, found === null ? 0n : found.posted - found.held);
  return new Conflict(
    `${holder} has only ${left} ${unit === "credit" ? "credits" : "tokens"} available. Nothing was booked.`,
  );
}

const REFUSALS: Record<Exclude<Refused, "reserved">, (to: { holder: string; reference: string }) => string> = {
  reference_reuse: ({ holder, reference }) =>
    `Reference ${reference} was already used for ${holder} with another amount, kind or period.`,
  unknown_counter: ({ holder }) => `The purse or limit of ${holder} was closed meanwhile.`,
  unknown_key: ({ holder }) => `${holder} has no balance.`,
  not_a_purse: ({ holder }) => `${holder} has a limit and no purse. Set the limit instead.`,
  not_a_limit: ({ holder }) => `${holder} has a purse and no limit. Top it up instead.`,
  too_much: ({ holder }) => `${holder} would exceed 9,223,372,036 credits over its lifetime, the limit per purse.`,
  refused: ({ holder }) => `This can't be booked to ${holder}.`,
};

export function checkAmount(amount: bigint, kind: TopUpKind): void {
  if (amount === 0n) throw fieldFault("amount", inputShouldBe("other than 0"));
  if (amount > 0n || kind === "adjust") return;
  throw fieldFault("amount", inputShouldBe("greater than 0; only kind `adjust` accepts a negative amount"));
}

/** The ledger's own entries begin with #. */
export function checkReference(reference: string): void {
  if (!reference.startsWith("#")) return;
  throw fieldFault("reference", "References that begin with # are reserved for the ledger. Use another reference.");
}
