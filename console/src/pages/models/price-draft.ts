import type { ChangePriceRequest, Price, Tariff } from "../../api/generated/admin.ts";
import { readCredits } from "../../format/money.ts";
import { PRICE_PARTS, type PricePart } from "./price-parts.ts";
import { faultIn, readWhen, sameLines, whenText } from "./price-sizes.ts";

/** A price as it is typed. `tools`: a line for each, its name and its price per call. `when`: as the command takes lines. */
export type PriceDraft = Record<PricePart, string> & { tools: string; when: string };

export const draftOf = (price: Tariff | null): PriceDraft => ({
  ...(Object.fromEntries(PRICE_PARTS.map(({ part }) => [part, price?.[part] ?? ""])) as Record<PricePart, string>),
  tools: Object.entries(price?.tools ?? {})
    .map(([name, amount]) => `${name} ${amount}`)
    .join("\n"),
  when: (price?.when ?? []).map(whenText).join("\n"),
});

const DECIMAL = /^\d{1,7}(\.\d{1,9})?$/;

/** What is typed as a price, or which field is wrong and why. */
export function readPrice(draft: PriceDraft): { price: Tariff } | { field: keyof PriceDraft; problem: string } {
  for (const { part, instead } of PRICE_PARTS) {
    const text = draft[part].trim();
    if (text === "" ? instead === null : !DECIMAL.test(text))
      return { field: part, problem: "A decimal such as 2.50, with at most nine decimal places." };
  }
  const lines = draft.tools.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim().split(/\s+/)]));
  const wrong = lines.find(([name, amount, ...rest]) => !name || !DECIMAL.test(amount ?? "") || rest.length > 0);
  if (wrong) return { field: "tools", problem: `Not a name and a price: ${wrong.join(" ")}` };
  const typed = draft.when.split("\n").filter((line) => line.trim() !== "");
  const when = typed.map(readWhen);
  const unread = typed[when.indexOf(null)];
  if (unread !== undefined) return { field: "when", problem: `Not a condition and what holds there: ${unread.trim()}` };
  const price = {
    ...(Object.fromEntries(PRICE_PARTS.map(({ part }) => [part, draft[part].trim() || null])) as Omit<
      Tariff,
      "tools" | "when"
    >),
    tools: Object.fromEntries(lines.map(([name = "", amount = ""]) => [name, amount])),
    ...(when.length > 0 && { when: when.filter((line) => line !== null) }),
  };
  const fault = faultIn(price);
  return fault === null ? { price } : { field: "when", problem: fault };
}

const same = (one: string | null | undefined, other: string | null | undefined): boolean =>
  one == null || other == null ? (one ?? null) === (other ?? null) : readCredits(one) === readCredits(other);

type Change = Omit<ChangePriceRequest, "effective_from">;

/** The parts that differ, as the gateway takes them: null takes one away. Null where nothing differs. */
export function changeFrom(before: Tariff | null, after: Tariff): Change | null {
  const parts = PRICE_PARTS.filter(({ part }) => !same(before?.[part], after[part]));
  const names = [...new Set([...Object.keys(before?.tools ?? {}), ...Object.keys(after.tools)])];
  const tools = names.filter((name) => !same(before?.tools[name], after.tools[name]));
  const lines = !sameLines(before, after);
  if (parts.length === 0 && tools.length === 0 && !lines) return null;
  return {
    ...Object.fromEntries(parts.map(({ part }) => [part, after[part]])),
    ...(tools.length > 0 && { tools: Object.fromEntries(tools.map((name) => [name, after.tools[name] ?? null])) }),
    ...(lines && { when: after.when ?? [] }),
  };
}

/** The price that holds at a moment; null: none does. */
export function priceAt(now: Price | null, upcoming: readonly Price[], atMs: number): Price | null {
  return upcoming.findLast(({ effective_from: from }) => Date.parse(from) <= atMs) ?? now;
}
