import fc from "fast-check";
import { expect, test } from "vitest";
import type { AnswerEvent } from "./answer-form.ts";
import { createOneAtATime } from "./one-at-a-time.ts";

/** Blocks that grow in turns: each number is the next block to say something. */
function interleaved(turns: readonly number[]): AnswerEvent[] {
  const events: AnswerEvent[] = [];
  const numbers = new Map<number, number>();
  for (const [at, turn] of turns.entries()) {
    if (!numbers.has(turn)) {
      numbers.set(turn, numbers.size);
      events.push({ kind: "block-started", index: numbers.get(turn) ?? 0, block: { kind: "text" } });
    }
    events.push({ kind: "block-grew", index: numbers.get(turn) ?? 0, text: `${at};` });
  }
  for (const index of [...numbers.values()].toReversed()) events.push({ kind: "block-stopped", index });
  return events;
}

const indexOf = (event: AnswerEvent): number => ("index" in event ? event.index : -1);

test("blocks written in turns come out one after the other, each whole and in its own order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 60 }), (turns) => {
      const given = interleaved(turns);
      const inOrder = createOneAtATime();
      const out = given.flatMap((event) => inOrder(event));
      const order = [...new Set(out.map(indexOf))];

      expect(out).toEqual(order.flatMap((index) => given.filter((event) => indexOf(event) === index)));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(out).toHaveLength(given.length);
    }),
  );
});
