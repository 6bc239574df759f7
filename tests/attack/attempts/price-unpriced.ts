import { CROSSED, type LaneStage, type PriceAttempt, STRAIGHT } from "../attempt.ts";
import type { Format, Json } from "../formats.ts";
import type { Habit } from "../provider/habit.ts";
import { atOnce, LONG_PROMPT, OVERRUN } from "./moves.ts";

const both = { kind: "price", lanes: [...STRAIGHT, ...CROSSED] } as const;

/** What a provider counts under names that the model has no price for. */
const COUNTED: readonly [name: string, tries: string, usage: Habit["usage"]][] = [
  ["input counted as cache writes", "reports all input as written to a cache, unasked", "cache_writes"],
  ["input counted as cache reads", "reports all input as read from a cache", "cache_reads"],
  [
    "searches that were not requested",
    "reports searches and calls of its own tools",
    { server_tool_use: { web_search_requests: 9 }, num_sources_used: 50, tool_usage: { web_search: { calls: 9 } } },
  ],
  [
    "service of another tier",
    "reports a cheaper tier and tokens of other kinds beside the true ones",
    {
      service_tier: "batch",
      completion_tokens_details: { audio_tokens: 10_000, accepted_prediction_tokens: 300, reasoning_tokens: 0 },
      output_tokens_details: { audio_tokens: 10_000, reasoning_tokens: 10_000 },
    },
  ],
];

/** A header of a picture that claims to be as large as pictures can be, and has nothing in it. */
function hugePicture(): string {
  const head = Buffer.alloc(33);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(head);
  head.writeUInt32BE(60_000, 16);
  head.writeUInt32BE(60_000, 20);
  head.set([8, 6, 0, 0, 0], 24);
  return head.toString("base64");
}

const picture = (format: Format): Json => {
  const url = `data:image/png;base64,${hugePicture()}`;
  if (format === "chat") return { type: "image_url", image_url: { url, detail: "low" } };
  if (format === "responses") return { type: "input_image", image_url: url, detail: "low" };
  return { type: "image", source: { type: "base64", media_type: "image/png", data: hugePicture() } };
};

const withParts = (lane: LaneStage, parts: readonly Json[]): Json => {
  const messages = [{ role: "user", content: parts }];
  return lane.body({ limit: 20, extra: lane.caller === "responses" ? { input: messages } : { messages } });
};

const withResult = (lane: LaneStage, part: Json): Json => {
  if (lane.caller === "responses") {
    const call = { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" };
    return lane.body({
      limit: 20,
      extra: { input: [call, { type: "function_call_output", call_id: "call_1", output: [part] }] },
    });
  }
  const messages = [
    { role: "user", content: "look" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [part] }] },
  ];
  return lane.body({ limit: 20, extra: { messages } });
};

const vision = {
  credit: "0.05",
  cap: OVERRUN,
  refusable: true,
  model: { habit: { tokens: 20, rate: 0, mediaTokens: 36_000 }, capabilities: { vision: true, image_tokens: 36_000 } },
} as const;

/** Work of a provider that has no price of its own, and input that is dearer than it looks. */
export const UNPRICED: readonly PriceAttempt[] = [
  ...COUNTED.map(([name, tries, usage]): PriceAttempt => ({
    ...both,
    name,
    long: usage !== "cache_writes",
    tries: `Uses a provider that ${tries}, streamed and plain.`,
    model: { habit: { usage, rate: 0 } },
    run: async ({ open, ask, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT }));
      await stream.readAll();
      await ask(body({ prompt: LONG_PROMPT }));
    },
  })),
  {
    ...vision,
    kind: "price",
    lanes: STRAIGHT,
    name: "huge pictures that look small",
    long: true,
    tries: "Sends pictures of a few bytes that claim 60,000 pixels a side and ask for little detail, 20 in parallel.",
    run: async (lane) => atOnce(20, () => lane.ask(withParts(lane, [picture(lane.caller)]))),
  },
  {
    ...vision,
    kind: "price",
    lanes: STRAIGHT.filter(({ caller }) => caller !== "chat"),
    name: "pictures within tool results",
    long: true,
    tries: "Sends pictures as the result of a tool, 20 requests in parallel, and disconnects from some.",
    run: async (lane) => {
      const body = withResult(lane, picture(lane.caller));
      await atOnce(20, async (index) => {
        const stream = await lane.open({ ...body, stream: true });
        await stream.readUntil((text) => index % 2 === 0 && text !== "");
        stream.leave();
      });
    },
  },
];
