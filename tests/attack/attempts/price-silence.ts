import { setTimeout as sleep } from "node:timers/promises";
import type { PriceAttempt } from "../attempt.ts";
import { ALL_LANES } from "../attempt.ts";
import { wordsIn } from "../client.ts";
import { atOnce, HIDDEN_REASONING, reasoning } from "./moves.ts";

/** By the clock, so that a busy machine cannot tell: see price-disconnects. */
const clock = { kind: "price", lanes: ALL_LANES, long: true } as const;

/** A model that thinks where nobody sees it, and callers that make the gateway believe it thinks slowly. */
export const SILENCE: readonly PriceAttempt[] = [
  {
    ...clock,
    ...HIDDEN_REASONING,
    name: "hidden reasoning behind a slow start",
    tries: "Disconnects from hidden reasoning at a provider that takes a second until it begins.",
    model: {
      ...HIDDEN_REASONING.model,
      habit: { ...HIDDEN_REASONING.model.habit, startMs: 1_000 },
    },
    run: async ({ caller, open, body }) => {
      const stream = await open(body({ stream: true, limit: 8_000, extra: reasoning(caller) }));
      await stream.readUntil((text) => wordsIn(text) >= 50);
      stream.leave();
    },
  },
  {
    ...clock,
    ...HIDDEN_REASONING,
    name: "short streams first, then disconnect",
    tries:
      "Reads 31 streams of two tokens to their end, of which the time to the first token is most, and then disconnects from hidden reasoning.",
    credit: "1",
    run: async ({ caller, open, body }) => {
      await atOnce(31, async (index) => {
        await sleep(index * 30);
        const stream = await open(body({ stream: true, limit: 2 }));
        await stream.readAll();
      });
      const stream = await open(body({ stream: true, limit: 8_000, extra: reasoning(caller) }));
      await stream.readUntil((text) => wordsIn(text) >= 50);
      stream.leave();
    },
  },
];
