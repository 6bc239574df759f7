import type { AnswerEvent } from "../form/answer-form.ts";
import type { createBlockNumbers } from "../form/block-numbers.ts";
import { objectsOf, textOf } from "../form/read-json.ts";
import type { TokenProbability } from "../form/token-probability.ts";

type Blocks = ReturnType<typeof createBlockNumbers<string>>;

/**
 * Grows the blocks of a responses stream and keeps what each has said. Some providers send few pieces of an item, or none, and
 * all of it at its end; what none of the pieces said is then said there. What has been sent stands, whatever the end says.
 */
export function createPieces(blocks: Blocks) {
  const said = new Map<string, string>();

  function grow(name: string, text: unknown, probabilities: readonly TokenProbability[] = []): AnswerEvent[] {
    const events = blocks.grow(name, text, probabilities);
    if (events.length > 0) said.set(name, (said.get(name) ?? "") + textOf(text));
    return events;
  }

  function restOf(name: string, whole: unknown): string {
    const before = said.get(name) ?? "";
    return textOf(whole).startsWith(before) ? textOf(whole).slice(before.length) : "";
  }

  return {
    grow,
    growRest: (name: string, whole: unknown): AnswerEvent[] => grow(name, restOf(name, whole)),
    /** The same for the parts of a message, which may not have begun. */
    growParts: (place: string, content: unknown): AnswerEvent[] =>
      objectsOf(content).flatMap((part, index) => {
        const name = `${place}.${index}`;
        const kind = part["type"] === "refusal" ? "refusal" : "text";
        const rest = restOf(name, part[kind]);
        if (rest === "") return [];
        return [...(blocks.has(name) ? [] : blocks.start(name, { kind })), ...grow(name, rest)];
      }),
  };
}
