import { isSomething } from "../../core/money/amount.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { Settlement } from "../ledger.ts";
import type { Numbers } from "./words-store.ts";

export const USAGE_COUNTS = [
  "inputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "reasoningTokens",
] as const;

/** Calls of tools by the number of their name; null as a whole where nobody called one, as is usual. */
export function toolColumn(usages: readonly Usage[], numbers: Numbers): unknown[] | null {
  if (!usages.some(hasCalls)) return null;
  const calls = usages.map(({ toolCalls }) => Object.entries(toolCalls));
  return calls.map((entries) =>
    entries.length === 0
      ? null
      : JSON.stringify(Object.fromEntries(entries.map(([name, count]) => [numbers.of(name), count]))),
  );
}

/** Counts that have no column; null as a whole where there are none, as is usual. */
export function moreColumn(usages: readonly Usage[]): unknown[] | null {
  if (!usages.some(({ parts }) => parts !== undefined)) return null;
  return usages.map(({ parts }) => (parts === undefined ? null : JSON.stringify({ parts })));
}

function hasCalls({ toolCalls }: Usage): boolean {
  for (const _ in toolCalls) return true;
  return false;
}

/** Whether the operator bears some of it. */
export const isBorne = ({ absorbed, waived }: Settlement): boolean => isSomething(absorbed) || isSomething(waived);
