import { setTimeout as sleep } from "node:timers/promises";
import { ALL_LANES, CHAT_LANES, type PriceAttempt, STRAIGHT } from "../attempt.ts";
import { send, wordsIn } from "../client.ts";
import type { Habit } from "../provider/habit.ts";
import {
  atOnce,
  HIDDEN_REASONING,
  LEFT_EARLY,
  LONG_PROMPT,
  ordinaryTraffic,
  reasoning,
  sendAndReach,
  SILENT,
  untilRefused,
} from "./moves.ts";

const all = { kind: "price", lanes: ALL_LANES } as const;

/** Leaves when so many words have come. */
const leaveAfter =
  (words: number): PriceAttempt["run"] =>
  async ({ open, body }) => {
    const stream = await open(body({ stream: true, prompt: LONG_PROMPT }));
    await stream.readUntil((text) => wordsIn(text) >= words);
    stream.leave();
    await stream.closed;
  };

/** A provider that makes a few words more than are read, and then waits for its caller to go. */
const holding = (words: number): Pick<Habit, "holdAfter"> => ({ holdAfter: words + 2 });

const MANY = 1_000;

/** A short prompt and a long answer, written as something else than text. */
const unseen = (as: Habit["as"]): Pick<PriceAttempt, "lanes" | "model" | "run"> => ({
  lanes: STRAIGHT,
  model: { habit: { as, tokens: 2 * MANY, rate: 2_000, holdAfter: MANY } },
  run: async ({ open, body }) => {
    const stream = await open(body({ stream: true, limit: 2 * MANY }));
    await stream.readUntil((text) => wordsIn(text) >= MANY);
    stream.leave();
    await stream.closed;
  },
});

/** Callers that leave before they are asked to pay. */
export const DISCONNECTS: readonly PriceAttempt[] = [
  {
    ...all,
    name: "disconnect at the first byte",
    tries: "Streams a long prompt and disconnects as soon as anything arrives.",
    model: { habit: holding(0) },
    run: async ({ open, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT }));
      await stream.readUntil((text) => text !== "");
      stream.leave();
    },
  },
  {
    ...all,
    name: "disconnect mid-stream",
    tries: "Disconnects from a stream after 100 words.",
    model: { habit: holding(100) },
    run: leaveAfter(100),
  },
  {
    ...all,
    name: "disconnect before the terminal event",
    tries: "Disconnects after the last word, before the terminal event.",
    model: { habit: {} },
    run: leaveAfter(300),
  },
  {
    ...all,
    name: "disconnect after the usage chunk",
    tries: "Requests usage in the stream and disconnects between the usage chunk and [DONE].",
    lanes: CHAT_LANES,
    model: { habit: {} },
    run: async ({ open, body }) => {
      const extra = { stream_options: { include_usage: true } };
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT, extra }));
      await stream.readUntil((text) => text.includes('"prompt_tokens"'));
      stream.leave();
    },
  },
  {
    ...all,
    name: "disconnect during a tool call",
    tries: "Makes the model write tool arguments instead of text and disconnects after 100 tokens.",
    model: { habit: { as: "tool", ...holding(100) } },
    run: leaveAfter(100),
  },
  {
    ...all,
    name: "disconnect during visible reasoning",
    tries: "Reads the reasoning of a model and disconnects before its answer.",
    model: { habit: { as: "thoughts", ...holding(100) }, capabilities: { reasoning: true } },
    run: leaveAfter(100),
  },
  {
    ...all,
    ...unseen("unlisted"),
    name: "disconnect during what no list names",
    tries:
      "Makes the model write where a format has no deltas for it: parts of content, compactions, items that come whole. Disconnects before the usage.",
  },
  {
    ...all,
    ...unseen("names"),
    name: "disconnect during names",
    tries: "Makes the model write the names of tools, one call after the other, and disconnects before the usage.",
  },
  {
    ...all,
    name: "reset the connection",
    tries: "Resets the TCP connection after 100 words instead of closing it.",
    model: { habit: holding(100) },
    run: async ({ sent, body }) => {
      const request = send(sent(body({ stream: true, prompt: LONG_PROMPT })));
      let words = 0;
      await new Promise<void>((resolve) => {
        request.on("response", (response) => {
          response.on("error", () => undefined);
          response.on("close", resolve);
          response.on("data", (bytes: Buffer) => {
            words += wordsIn(bytes.toString("latin1"));
            if (words >= 100) request.socket?.resetAndDestroy();
          });
        });
      });
    },
  },
  {
    ...all,
    name: "half-close the connection",
    tries: "Closes the sending half of the connection and keeps reading.",
    model: { habit: holding(20) },
    run: async ({ sent, body }) => {
      const request = send(sent(body({ stream: true, prompt: LONG_PROMPT })));
      await new Promise<void>((resolve) => {
        request.on("close", resolve);
        request.on("response", (response) => {
          response.on("error", () => undefined);
          response.once("data", () => request.socket?.end());
          response.on("data", () => undefined);
        });
      });
    },
  },
  {
    ...all,
    name: "eight choices, then disconnect",
    tries: "Requests n=8 choices and disconnects after 50 words of each.",
    lanes: CHAT_LANES.filter(({ provider }) => provider === "chat"),
    model: { habit: holding(50) },
    run: async ({ open, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT, extra: { n: 8 } }));
      await stream.readUntil((text) => wordsIn(text) >= 400);
      stream.leave();
    },
  },
  {
    ...all,
    name: "disconnect during hidden reasoning",
    tries: "Lets a model reason invisibly for three seconds and disconnects before the first visible word.",
    // What nobody saw is estimated by the clock. On a busy machine neither the pace of the provider nor the moment of the departure is known.
    // tests/contract/hidden-reasoning holds the rule in the gate, within wider bounds.
    long: true,
    ...HIDDEN_REASONING,
    run: async ({ caller, open, body }) => {
      const stream = await open(body({ stream: true, limit: 8_000, extra: reasoning(caller) }));
      await sleep(3_000);
      stream.leave();
    },
  },
  {
    ...all,
    name: "disconnect after hidden reasoning",
    tries: "Lets a model reason invisibly, reads 50 words of the answer and disconnects.",
    // By the clock, as above.
    long: true,
    ...HIDDEN_REASONING,
    run: async ({ caller, open, body }) => {
      const stream = await open(body({ stream: true, limit: 8_000, extra: reasoning(caller) }));
      await stream.readUntil((text) => wordsIn(text) >= 50);
      stream.leave();
    },
  },
  {
    ...all,
    name: "hidden reasoning not requested",
    tries:
      "The same at a provider of messages with a request that does not ask for reasoning, on a server whose model reasons anyway.",
    // By the clock, as above.
    long: true,
    ...HIDDEN_REASONING,
    // Others have let such streams end, and the provider has counted more tokens than anybody saw.
    before: async (lane) => {
      await HIDDEN_REASONING.before?.(lane);
      await ordinaryTraffic()(lane);
    },
    lanes: ALL_LANES.filter(({ provider }) => provider === "messages"),
    run: async ({ open, body }) => {
      const stream = await open(body({ stream: true, limit: 8_000 }));
      await stream.readUntil((text) => wordsIn(text) >= 50);
      stream.leave();
    },
  },
  {
    ...all,
    name: "slow streams first, then disconnect",
    tries:
      "Reads 31 streams slowly and leaves each, to make the route look slow, and then disconnects from hidden reasoning.",
    // By the clock, as above.
    long: true,
    ...HIDDEN_REASONING,
    credit: "1",
    run: async ({ caller, open, body }) => {
      const ask = () => open(body({ stream: true, limit: 8_000, extra: reasoning(caller) }));
      await atOnce(31, async () => {
        const stream = await ask();
        await stream.readUntil((text) => wordsIn(text) >= 1);
        await sleep(2_500);
        stream.leave();
        await stream.closed;
      });
      const stream = await ask();
      await stream.readUntil((text) => wordsIn(text) >= 50);
      stream.leave();
    },
  },
  {
    ...all,
    name: "disconnect before the provider responds",
    tries: "Repeatedly sends long prompts and disconnects while the provider still reads them.",
    model: { habit: SILENT },
    credit: "0.2",
    cap: LEFT_EARLY,
    run: untilRefused(async (lane) => {
      const request = await sendAndReach(lane, lane.body({ stream: true, prompt: LONG_PROMPT }));
      request.destroy();
    }),
  },
  {
    ...all,
    name: "abandon plain requests",
    tries: "Repeatedly requests plain responses and disconnects while the provider writes them.",
    // By the clock, as above: nothing of a plain response is seen before its end.
    long: true,
    model: { habit: { tokens: 2_000, rate: 2_000 } },
    before: ordinaryTraffic(),
    credit: "0.2",
    cap: LEFT_EARLY,
    run: untilRefused(async (lane) => {
      const request = await sendAndReach(lane, lane.body({ prompt: LONG_PROMPT, limit: 2_000 }));
      await sleep(500);
      request.destroy();
    }),
  },
  {
    ...all,
    name: "huge prompt, then disconnect",
    tries: "Repeatedly sends prompts of 100,000 tokens and disconnects before the provider responds.",
    model: { habit: { startMs: 5_000 } },
    credit: "2",
    long: true,
    cap: LEFT_EARLY,
    run: untilRefused(async (lane) => {
      const request = await sendAndReach(lane, lane.body({ prompt: "word ".repeat(100_000), limit: 10 }));
      request.destroy();
    }),
  },
  {
    ...all,
    name: "abandon a plain request with an Idempotency-Key",
    tries: "Disconnects from a plain request with an Idempotency-Key and later fetches the stored response.",
    model: { habit: { rate: 300 } },
    run: async ({ sent, ask, body }) => {
      const headers = { "idempotency-key": "dropped" };
      const request = send(sent(body({ prompt: LONG_PROMPT }), headers));
      await sleep(400);
      request.destroy();
      await sleep(3_500);
      await ask(body({ prompt: LONG_PROMPT }), headers);
    },
  },
];
