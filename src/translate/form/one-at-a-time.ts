import type { AnswerEvent } from "./answer-form.ts";

type BlockEvent = Extract<AnswerEvent, { index: number }>;

/**
 * Puts the events of an answer in an order in which one block ends before the next begins, for dialects whose clients expect it.
 * The block that began first goes out as it comes; the others wait for its end.
 */
export function createOneAtATime(): (event: AnswerEvent) => AnswerEvent[] {
  let current: number | null = null;
  const waiting = new Map<number, BlockEvent[]>();

  return (event) => {
    if (!("index" in event)) return [event];
    current ??= event.index;
    if (event.index !== current) {
      const queue = waiting.get(event.index);
      if (queue === undefined) waiting.set(event.index, [event]);
      else queue.push(event);
      return [];
    }
    return event.kind === "block-stopped" ? [event, ...next()] : [event];
  };

  /** All that waited of the next block, and of those after it as long as they have ended too. */
  function next(): AnswerEvent[] {
    const out: AnswerEvent[] = [];
    current = null;
    for (const [index, queue] of waiting) {
      waiting.delete(index);
      out.push(...queue);
      if (queue.at(-1)?.kind === "block-stopped") continue;
      current = index;
      break;
    }
    return out;
  }
}
