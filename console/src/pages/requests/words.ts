/** What the inspector calls things; `tollgate requests show` uses the same words. */
import { byWord, countsOf, TARIFF_PARTS } from "../../../../src/core/money/price.ts";
import type { RequestDetail } from "../../api/generated/admin.ts";

type Money = NonNullable<RequestDetail["money"]>;
type Gap = NonNullable<NonNullable<Money["credits"]>["gap"]>;
export type StepName = keyof RequestDetail["steps"];

/** In the order of a request. */
export const STEP_WORDS: Record<StepName, string> = {
  authenticated: "key identified",
  read: "body read",
  checked: "request checked",
  admitted: "cost reserved",
  dispatched: "provider asked",
  first_byte: "first byte",
  last_byte: "last byte",
  settled: "charge committed",
  closed: "response sent",
};

const LINE_WORDS: Readonly<Record<string, string>> = byWord(TARIFF_PARTS, countsOf);

/** What was counted: tokens of a kind, or calls of a tool. */
export const lineWords = (what: string): string => LINE_WORDS[what] ?? `calls of ${what.slice("tools.".length)}`;

export const GAP_WORDS: Record<Gap, string> = {
  provider_failed: "The provider failed, so the request is free.",
  voided: "The charge could not be confirmed in time, so it was voided.",
  estimated: "The counts are estimates, which cost at most what was reserved.",
  absorbed: "It cost more than was reserved; the operator absorbs the rest.",
  no_price: "The price of this version is not known any more.",
};

export const ENTRY_WORDS: Record<Money["entries"][number]["kind"], string> = {
  hold: "reserved",
  release: "reservation released",
  charge: "charged",
  refund: "refunded",
  void: "voided",
  given_back: "released from quarantine",
  absorbed: "absorbed by the operator",
};
