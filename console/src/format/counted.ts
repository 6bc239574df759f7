import { readCredits } from "./money.ts";
import { CREDITS, TOKENS, type Unit } from "./unit.ts";

type CountedIn = "credit" | "tokens";
type Counted = { unit: CountedIn; charged: string; reserved: string; available: string };

export const unitOf = (unit: CountedIn): Unit => (unit === "credit" ? CREDITS : TOKENS);

/** An amount of the API, in the unit that it says. */
export const readAmount = (unit: CountedIn, text: string): bigint =>
  unit === "credit" ? readCredits(text) : BigInt(text);

/** What a purse or a limit counts, as a counter bar wants it. */
export const readCounted = ({ unit, charged, reserved, available }: Counted) => ({
  charged: readAmount(unit, charged),
  reserved: readAmount(unit, reserved),
  available: readAmount(unit, available),
  unit: unitOf(unit),
});

export const PERIODS: Record<"none" | "day" | "week" | "month", string> = {
  none: "in all",
  day: "per day",
  week: "per week",
  month: "per month",
};
