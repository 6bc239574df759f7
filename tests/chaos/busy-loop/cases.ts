import type { Dialect, Says } from "./stage.ts";

const MEBIBYTE = 1_048_576;

export const PATHS: Record<Dialect, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

type Json = Record<string, unknown>;
type Body = (client: Dialect, model: string, streamed: boolean) => string;

/** A request of any format that says these texts, with these members besides. */
function bodyOf(texts: readonly unknown[], more: (client: Dialect) => Json = () => ({})): Body {
  return (client, model, streamed) => {
    const turns = texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }));
    const said = client === "responses" ? { input: turns } : { messages: turns };
    const limit = client === "responses" ? { max_output_tokens: 64 } : { max_tokens: 64 };
    return JSON.stringify({ model, ...limit, stream: streamed, ...said, ...more(client) });
  };
}

const fill = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));

const tool = (client: Dialect, name: string): Json => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  if (client === "messages") return { name, input_schema: schema };
  const form = { name, parameters: schema };
  return client === "chat" ? { type: "function", function: form } : { type: "function", ...form };
};

const tools =
  (count: number, name: string) =>
  (client: Dialect): Json => ({
    tools: Array.from({ length: count }, (_, index) => tool(client, `${name}${index}`)),
  });

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

const image = (client: Dialect, bytes: number): Json => {
  const data = fill("iVBORw0KGgo", bytes);
  if (client === "messages") return { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const url = `data:image/png;base64,${data}`;
  return client === "chat" ? { type: "image_url", image_url: { url } } : { type: "input_image", image_url: url };
};

export const SMALL = bodyOf(["Are you well?"]);

/** What a caller may send, in every format. Those below the bound of large bodies are as many-membered as fits. */
export const REQUESTS: Record<string, Body> = {
  "a few words": SMALL,
  "32 MiB of words": bodyOf([fill("word ", 31.9 * MEBIBYTE)]),
  "32 MiB of three-byte letters": bodyOf([fill("漢", 31.9 * MEBIBYTE)]),
  "10 MiB of escapes": bodyOf([fill('\n\t"\\', 10 * MEBIBYTE)]),
  "5 MiB that name our mark": bodyOf([fill("tollgate. ", 5 * MEBIBYTE)]),
  "30,000 messages": bodyOf(Array.from({ length: 30_000 }, () => "x")),
  "30,000 tools": bodyOf(["x"], tools(30_000, "f")),
  "30,000 tools of long names": bodyOf(["x"], tools(30_000, "é".repeat(30))),
  "120,000 labels": bodyOf(["x"], () => ({
    metadata: Object.fromEntries(Array.from({ length: 120_000 }, (_, index) => [`k${index}`, 1])),
  })),
  "120,000 members": bodyOf(["x"], () =>
    Object.fromEntries(Array.from({ length: 120_000 }, (_, index) => [`k${index}`, 1])),
  ),
  "240,000 lists": bodyOf(["x"], () => ({ metadata: { deep: Array.from({ length: 4_000 }, () => nested(58)) } })),
  "an image of 24 MiB": (client, model, streamed) => bodyOf([[image(client, 24 * MEBIBYTE)]])(client, model, streamed),
  "instructions of 20 MiB": (client, model, streamed) =>
    bodyOf(["x"], () => ({ [client === "responses" ? "instructions" : "system"]: fill("word ", 20 * MEBIBYTE) }))(
      client,
      model,
      streamed,
    ),
  "64 KiB of messages": bodyOf(Array.from({ length: 1_500 }, () => "x")),
  "64 KiB of tools": bodyOf(["x"], tools(600, "f")),
  "64 KiB of tools of long names": bodyOf(["x"], tools(450, "é".repeat(20))),
  "64 KiB of members": bodyOf(["x"], () =>
    Object.fromEntries(Array.from({ length: 990 }, (_, index) => [`k${index}`, 1])),
  ),
  "64 KiB of lists": bodyOf(["x"], () => ({ metadata: { deep: Array.from({ length: 500 }, () => nested(58)) } })),
  "64 KiB of marks": bodyOf(Array.from({ length: 1_300 }, () => "tollgate.")),
};

const USAGE: Record<Dialect, Json> = {
  chat: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  responses: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
  messages: { input_tokens: 3, output_tokens: 5 },
};

type Call = { id: string; name: string; input: string };

type Said = { text?: string; calls?: Call[]; more?: Json };

/** A whole answer of this format. */
function wholeOf(dialect: Dialect, { text = "Well.", calls: asked = [], more = {} }: Said = {}): Json {
  switch (dialect) {
    case "chat": {
      const made = asked.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: input } }));
      const message = { role: "assistant", content: text, ...(made.length > 0 && { tool_calls: made }) };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return { id: "c", object: "chat.completion", created: 1, model: "up", choices, usage: USAGE.chat, ...more };
    }
    case "responses": {
      const message = {
        type: "message",
        id: "m",
        role: "assistant",
        content: [{ type: "output_text", text, annotations: [] }],
      };
      const made = asked.map(({ id, name, input }) => ({
        type: "function_call",
        id,
        call_id: id,
        name,
        arguments: input,
      }));
      return {
        id: "r",
        object: "response",
        status: "completed",
        model: "up",
        output: [message, ...made],
        usage: USAGE.responses,
        ...more,
      };
    }
    case "messages": {
      const made = asked.map(({ id, name, input }) => ({
        type: "tool_use",
        id,
        name,
        input: JSON.parse(input) as unknown,
      }));
      const content = [{ type: "text", text }, ...made];
      return {
        id: "m",
        type: "message",
        role: "assistant",
        model: "up",
        content,
        stop_reason: "end_turn",
        usage: USAGE.messages,
        ...more,
      };
    }
    default:
      return dialect satisfies never;
  }
}

const sends = (value: Json): Says => {
  const bytes = Buffer.from(JSON.stringify(value));
  return (response) => void response.writeHead(200, { "content-type": "application/json" }).end(bytes);
};

const calls = (count: number): Call[] =>
  Array.from({ length: count }, (_, index) => ({ id: `call_${index}`, name: "f", input: '{"a":1}' }));

/** What a provider may answer at once. */
export const ANSWERS: Record<string, (provider: Dialect) => Says> = {
  "60 MiB of words": (provider) => sends(wholeOf(provider, { text: fill("word ", 60 * MEBIBYTE) })),
  "20 MiB of three-byte letters": (provider) => sends(wholeOf(provider, { text: fill("漢", 20 * MEBIBYTE) })),
  "20,000 calls": (provider) => sends(wholeOf(provider, { calls: calls(20_000) })),
  "5,000,000 values": (provider) =>
    sends(wholeOf(provider, { more: { odd: Array.from({ length: 5_000_000 }, () => 1) } })),
  "120 KiB of calls": (provider) => sends(wholeOf(provider, { calls: calls(1_200) })),
  "no usage, 4 MiB": (provider) =>
    sends(wholeOf(provider, { text: fill("word ", 4 * MEBIBYTE), more: { usage: null } })),
};

const frame = (data: Json): string =>
  typeof data["type"] === "string"
    ? `event: ${data["type"]}\ndata: ${JSON.stringify(data)}\n\n`
    : `data: ${JSON.stringify(data)}\n\n`;

/** A stream of this format: what is said before, piece by piece, and what is said in the end. */
function streamOf(dialect: Dialect, pieces: readonly Json[]): Says {
  const start: Record<Dialect, Json[]> = {
    chat: [
      { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
    ],
    responses: [{ type: "response.created", sequence_number: 0, response: { ...wholeOf("responses"), output: [] } }],
    messages: [
      { type: "message_start", message: { ...wholeOf("messages"), content: [] } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
  };
  const end: Record<Dialect, Json[]> = {
    chat: [
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { id: "c", choices: [], usage: USAGE.chat },
    ],
    responses: [{ type: "response.completed", sequence_number: 9, response: wholeOf("responses") }],
    messages: [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: USAGE.messages },
      { type: "message_stop" },
    ],
  };
  const bytes = Buffer.from(
    [...start[dialect], ...pieces, ...end[dialect]].map(frame).join("") +
      (dialect === "chat" ? "data: [DONE]\n\n" : ""),
  );
  return (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(bytes);
}

/** One piece of text, as each format says it. */
const piece = (dialect: Dialect, text: string): Json => {
  if (dialect === "chat") return { id: "c", choices: [{ index: 0, delta: { content: text } }] };
  if (dialect === "responses")
    return { type: "response.output_text.delta", item_id: "m", output_index: 0, content_index: 0, delta: text };
  return { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
};

const chatCalls = (count: number): Json => ({
  id: "c",
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: calls(count).map(({ id, name, input }, index) => ({
          index,
          id,
          type: "function",
          function: { name, arguments: input },
        })),
      },
    },
  ],
});

/** What a provider may stream; null where a format cannot say it. */
export const STREAMS: Record<string, (provider: Dialect) => Says | null> = {
  "an event beyond the bound": (provider) => streamOf(provider, [piece(provider, fill("word ", 12 * MEBIBYTE))]),
  "an event of almost 8 MiB": (provider) => streamOf(provider, [piece(provider, fill("word ", 7.9 * MEBIBYTE))]),
  "an event of almost 8 MiB of three-byte letters": (provider) =>
    streamOf(provider, [piece(provider, fill("漢", 7.9 * MEBIBYTE))]),
  "an event of 1,000,000 values": (provider) =>
    streamOf(provider, [{ ...piece(provider, "x"), odd: Array.from({ length: 1_000_000 }, () => 1) }]),
  "20,000 small events": (provider) =>
    streamOf(
      provider,
      Array.from({ length: 20_000 }, () => piece(provider, "x")),
    ),
  "5,000 calls in an event": (provider) => (provider === "chat" ? streamOf(provider, [chatCalls(5_000)]) : null),
  "an end of almost 8 MiB": (provider) =>
    provider === "responses"
      ? streamOf(provider, [
          {
            type: "response.completed",
            sequence_number: 8,
            response: wholeOf("responses", { text: fill("word ", 7.9 * MEBIBYTE) }),
          },
        ])
      : null,
};

/** An ordinary answer, streamed or whole as it was asked for. */
export function okAnswer(provider: Dialect): Says {
  const [whole, streamed] = [sends(wholeOf(provider)), streamOf(provider, [piece(provider, "Well.")])];
  return (response, asked) => (asked ? streamed : whole)(response, asked);
}
