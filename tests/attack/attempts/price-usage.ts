import { ALL_LANES, CHAT_LANES, type PriceAttempt } from "../attempt.ts";
import type { Habit } from "../provider/habit.ts";
import { LONG_PROMPT } from "./moves.ts";

const NOTHING = 0;
const MUCH = 10_000_000;

const FIGURES: readonly [what: string, usage: Habit["usage"]][] = [
  ["no usage", "none"],
  ["usage of zero", both(NOTHING)],
  ["negative usage", both(-5)],
  ["usage as text", both("1")],
  ["usage in fractions", both(0.5)],
  [
    "more cached tokens than input",
    {
      prompt_tokens_details: { cached_tokens: MUCH },
      input_tokens_details: { cached_tokens: MUCH },
      cache_read_input_tokens: MUCH,
    },
  ],
  [
    "input beyond the context window",
    { prompt_tokens: MUCH, input_tokens: MUCH, prompt_tokens_details: null, total_tokens: MUCH },
  ],
];

/** The same figure under the names of every format. */
function both(figure: number | string): Exclude<Habit["usage"], string> {
  return {
    prompt_tokens: figure,
    completion_tokens: figure,
    total_tokens: figure,
    input_tokens: figure,
    output_tokens: figure,
  };
}

/** Providers whose figures cannot be believed. */
export const USAGE: readonly PriceAttempt[] = [
  ...FIGURES.map(([what, usage]): PriceAttempt => ({
    kind: "price",
    lanes: ALL_LANES,
    name: `provider reports ${what}`,
    tries: `Uses a self-hosted server that reports ${what}, streamed and plain.`,
    model: { habit: { usage, rate: 0 }, conformant: false },
    run: async ({ open, ask, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT }));
      await stream.readAll();
      await ask(body({ prompt: LONG_PROMPT }));
    },
  })),
  {
    kind: "price",
    lanes: CHAT_LANES,
    name: "usage turned off",
    tries: "Sends stream_options with usage off, null, and an object without it.",
    model: { habit: { rate: 0 } },
    run: async ({ open, body }) => {
      for (const options of [{ include_usage: false }, null, {}]) {
        const stream = await open(body({ stream: true, prompt: LONG_PROMPT, extra: { stream_options: options } }));
        await stream.readAll();
      }
    },
  },
];
