import type { Dialect, Generation } from "../dialect.ts";
import { answerOfBytes } from "../plan/generation.ts";
import { createRemember } from "../plan/remember.ts";
import type { Script } from "../plan/script.ts";

export type PlainBody = (ask: { dialect: Dialect; generation: Generation; script: Script; header: string }) => Buffer;

const LARGEST_REMEMBERED_BYTES = 64 * 1024;

/** Builds the body of a plain answer. One of a given size is built once: benchmarks ask for it again and again. */
export function createPlainBody(): PlainBody {
  const remember = createRemember<Buffer>(256);
  return ({ dialect, generation, script, header }) => {
    const { answerBytes } = script;
    if (answerBytes === null) return Buffer.from(dialect.answer(generation));
    const make = () => Buffer.from(answerOfBytes(dialect, generation, answerBytes));
    if (answerBytes > LARGEST_REMEMBERED_BYTES) return make();
    const { ask, usage } = generation;
    const differences = [dialect.name, ask.model, header, ask.choices, ask.limitTokens, usage?.inputTokens];
    return remember(differences.join("\n"), make);
  };
}
