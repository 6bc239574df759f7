import { createCallNumbers } from "../form/tools/call-numbers.ts";
import type { Json } from "../../core/bytes/json.ts";

/** More calls than any answer has; those after them keep the number they were given. */
const MOST_CALLS = 10_000;

/** The calls of one choice in each of its chunks, under numbers by which official clients can keep them in a list. */
export function createCallNumbering(): (calls: readonly Json[]) => Json[] {
  const numberOf = createCallNumbers(MOST_CALLS);
  return (calls) =>
    calls.map((call, position) => {
      const number = numberOf(call);
      if (number < MOST_CALLS) return { ...call, index: number };
      return Number.isInteger(call["index"]) ? call : { ...call, index: position };
    });
}
