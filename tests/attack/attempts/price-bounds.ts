import { setTimeout as sleep } from "node:timers/promises";
import { ALL_LANES, type PriceAttempt } from "../attempt.ts";
import { wordsIn } from "../client.ts";
import type { Json } from "../formats.ts";
import { FAILED_AFTER_CONTENT, LONG_PROMPT, PAUSED, untilRefused } from "./moves.ts";

const all = { kind: "price", lanes: ALL_LANES } as const;
const EVENT_BOUND = 8 * 1024 * 1024;

/** Providers of responses repeat the request in the last event, beside the answer. */
const ECHOING = ALL_LANES.filter(({ caller, provider }) => caller === "responses" && provider === "responses");
const echoing = { kind: "price", lanes: ECHOING } as const;
const burst = { model: { habit: { tokens: 20_000, rate: 0 }, contextWindow: 20_000_000 }, credit: "50" };

const swollen =
  (extra: Json): PriceAttempt["run"] =>
  async ({ open, body }) => {
    const stream = await open(body({ stream: true, limit: 30_000, extra }));
    await stream.readAll();
  };

/** What a limit of the gateway or a failure of the provider ends. */
export const BOUNDS: readonly PriceAttempt[] = [
  {
    ...echoing,
    ...burst,
    name: "oversized last event: instructions",
    tries: "Sends instructions of almost 8 MiB. The last event repeats them and exceeds the gateway's size limit.",
    long: true,
    run: swollen({ instructions: " ".repeat(EVENT_BOUND - 3_000) }),
  },
  {
    ...echoing,
    ...burst,
    name: "oversized last event: tools",
    tries: "The same with a tool description.",
    run: swollen({
      tools: [{ type: "function", name: "f", description: " ".repeat(EVENT_BOUND - 3_000), parameters: {} }],
    }),
  },
  {
    ...echoing,
    ...burst,
    name: "oversized last event: metadata",
    tries: "The same with a metadata value.",
    long: true,
    run: swollen({ metadata: { note: " ".repeat(EVENT_BOUND - 3_000) } }),
  },
  {
    ...all,
    ...burst,
    lanes: [{ caller: "messages", provider: "responses", unit: "credit" }],
    name: "oversized last event: translated",
    tries: "Sends a system prompt of almost 8 MiB in another format to a provider that repeats it.",
    run: swollen({ system: " ".repeat(EVENT_BOUND - 3_000) }),
  },
  {
    ...echoing,
    ...burst,
    name: "oversized plain response",
    refusable: true,
    tries: "Sends instructions of 31 MiB and requests a plain response, which repeats them.",
    long: true,
    run: async ({ ask, body }) => {
      await ask(body({ limit: 30_000, extra: { instructions: " ".repeat(31 * 1024 * 1024) } }));
    },
  },
  {
    ...all,
    name: "stop reading until cut off",
    tries: "Stops reading a stream after the first words and waits to be cut off.",
    model: { habit: { tokens: 2_000, rate: 200, holdAfter: 300 } },
    hasty: true,
    run: async ({ open, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT, limit: 2_000 }));
      await stream.readUntil((text) => wordsIn(text) > 10);
      stream.stall();
      await sleep(4_000);
      stream.leave();
    },
  },
  {
    ...all,
    name: "stream until the deadline",
    tries: "Keeps a slow stream open until the gateway's deadline ends it.",
    model: { habit: { tokens: 5_000, rate: 200, holdAfter: 300 } },
    hasty: true,
    run: async ({ open, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT, limit: 5_000 }));
      await stream.readAll();
    },
  },
  {
    ...all,
    name: "plain requests until the deadline",
    tries: "Repeatedly requests plain responses that take longer than the deadline.",
    model: { habit: { tokens: 5_000, rate: 500 } },
    credit: "0.2",
    hasty: true,
    cap: PAUSED,
    // Answers within the deadline, by which the pace of the route is known.
    before: async ({ open, body }) => {
      for (let times = 0; times < 3; times += 1) await (await open(body({ stream: true, limit: 1_000 }))).readAll();
    },
    run: untilRefused(async ({ ask, body }) => {
      await ask(body({ prompt: LONG_PROMPT, limit: 5_000 }));
    }),
  },
  {
    ...all,
    name: "key suspended mid-stream",
    tries: "Gets the key suspended while a stream runs.",
    model: { habit: { tokens: 5_000, rate: 200, holdAfter: 102 } },
    run: async ({ open, body, stage, keyId }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT, limit: 5_000 }));
      await stream.readUntil((text) => wordsIn(text) >= 100);
      await stage.admin("POST", `/admin/v1/keys/${keyId}/suspend`);
      await Promise.race([stream.readAll(), sleep(5_000)]);
      stream.leave();
    },
  },
  ...(["content_filter", "overloaded", "reset", "close"] as const).map((how): PriceAttempt => ({
    ...all,
    name: `provoked provider failure: ${how}`,
    tries: `Repeatedly reads 500 words and then makes the provider fail (${how}).`,
    model: { habit: { tokens: 5_000, rate: 0, fail: { after: 500, how } } },
    credit: "0.2",
    cap: FAILED_AFTER_CONTENT,
    run: untilRefused(async ({ open, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT, limit: 5_000 })).catch(() => null);
      await stream?.readAll();
    }),
  })),
  {
    ...all,
    name: "provider closes streams without an end",
    tries: "Repeatedly uses a self-hosted server that closes streams without finish_reason, usage or [DONE].",
    model: { habit: { abrupt: true, rate: 0 }, conformant: false },
    credit: "0.2",
    cap: FAILED_AFTER_CONTENT,
    run: untilRefused(async ({ open, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT })).catch(() => null);
      await stream?.readAll();
    }),
  },
];
