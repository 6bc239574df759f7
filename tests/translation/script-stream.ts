import type { ProviderDialect } from "../../src/core/request/dialect.ts";
import { framedConverse } from "../support/converse-event.ts";

type Json = Record<string, unknown>;

/** Something a provider says next: a piece of text, or a piece of the arguments of one of its calls. */
export type Piece = { kind: "text"; text: string } | { kind: "call"; call: number; text: string };

/** The calls in the order in which they are begun, and what each was given. */
export type Scripted = { text: string; calls: { id: string; name: string; input: string }[] };

export const callName = (call: number): { id: string; name: string } => ({ id: `call_${call}`, name: `tool_${call}` });

/** What a provider of a dialect has said in the end. One has arguments that are an object, and nothing else. */
export function scripted(pieces: readonly Piece[], dialect: ProviderDialect = "chat"): Scripted {
  const order = [...new Set(pieces.flatMap((piece) => (piece.kind === "call" ? [piece.call] : [])))];
  const inputOf = (call: number): string =>
    pieces.map((piece) => (piece.kind === "call" && piece.call === call ? piece.text : "")).join("");
  return {
    text: pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join(""),
    calls: order.map((call) => {
      const input = inputOf(call);
      return { ...callName(call), input: dialect === "gemini" ? JSON.stringify({ text: input }) : input };
    }),
  };
}

/** The events in which a provider of a dialect would say this, its calls written in turns. */
export function scriptStream(dialect: ProviderDialect, pieces: readonly Piece[]): Json[] {
  const events = {
    chat: chatEvents,
    responses: responsesEvents,
    messages: messagesEvents,
    gemini: geminiEvents,
    converse: converseEvents,
  };
  return events[dialect](pieces);
}

/** The same as a whole answer. */
export function scriptAnswer(dialect: ProviderDialect, pieces: readonly Piece[]): Json {
  const { text, calls } = scripted(pieces);
  const events = scriptStream(dialect, pieces);
  switch (dialect) {
    case "chat": {
      const tool_calls = calls.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: input },
      }));
      const message = { role: "assistant", content: text, tool_calls };
      return { ...events.at(-1), object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] };
    }
    case "responses":
      return events.at(-1)?.["response"] as Json;
    case "messages": {
      const uses = calls.map(({ id, name }) => ({ type: "tool_use", id, name, input: {} }));
      const content = [{ type: "text", text }, ...uses];
      return { ...(events[0]?.["message"] as Json), content, stop_reason: "end_turn" };
    }
    case "gemini": {
      const parts = [{ text }, ...scripted(pieces, dialect).calls.map((call) => geminiCall(call))];
      const content = { role: "model", parts };
      return { ...events.at(-1), candidates: [{ content, finishReason: "STOP", index: 0 }] };
    }
    case "converse": {
      const uses = calls.map(({ id, name }) => ({ toolUse: { toolUseId: id, name, input: {} } }));
      const message = { role: "assistant", content: [{ text }, ...uses] };
      return { ...events.at(-1), output: { message }, stopReason: "end_turn" };
    }
    default:
      return dialect satisfies never;
  }
}

/** The bytes of such events; the name of an event is in its data too. */
export function encodeEvents(dialect: ProviderDialect, events: readonly unknown[]): Buffer {
  if (dialect === "converse") return Buffer.from(framedConverse(events));
  const text = events.map((event) => {
    const { type } = (event ?? {}) as { type?: unknown };
    const named = dialect !== "chat" && dialect !== "gemini";
    const name = named && typeof type === "string" ? `event: ${type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return Buffer.from(text.join("") + (dialect === "chat" ? "data: [DONE]\n\n" : ""));
}

function chatEvents(pieces: readonly Piece[]): Json[] {
  const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "theirs" };
  const chunk = (delta: Json, reason: string | null = null): Json => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const seen = new Map<number, number>();
  const said = pieces.map((piece) => {
    if (piece.kind === "text") return chunk({ content: piece.text });
    const index = seen.get(piece.call);
    if (index !== undefined) return chunk({ tool_calls: [{ index, function: { arguments: piece.text } }] });
    const { id, name } = callName(piece.call);
    // Some providers number their calls among all that they say, so that the first is not 0.
    seen.set(piece.call, seen.size + 1);
    const call = { index: seen.get(piece.call), id, type: "function", function: { name, arguments: piece.text } };
    return chunk({ tool_calls: [call] });
  });
  const usage = {
    prompt_tokens: 7,
    completion_tokens: 9,
    total_tokens: 16,
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  const reason = seen.size === 0 ? "stop" : "tool_calls";
  return [chunk({ role: "assistant", content: "" }), ...said, chunk({}, reason), { ...head, choices: [], usage }];
}

/** Text is one item that stays open; calls are items beside it. */
function responsesEvents(pieces: readonly Piece[]): Json[] {
  const items: Json[] = [];
  const places = new Map<number | "text", number>();
  const { text, calls } = scripted(pieces);
  const itemOf = (key: number | "text"): Json => {
    if (key === "text") {
      const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
      return { type: "message", id: "msg_t", role: "assistant", status: "completed", content };
    }
    const { id, name } = callName(key);
    const input = calls.find((call) => call.id === id)?.input;
    return { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: input, status: "completed" };
  };
  const said = pieces.flatMap((piece): Json[] => {
    const key = piece.kind === "text" ? "text" : piece.call;
    const known = places.get(key);
    const place = known ?? places.size;
    if (known === undefined) {
      places.set(key, place);
      items.push(itemOf(key));
    }
    const empty = key === "text" ? { content: [] } : { arguments: "" };
    const added = { type: "response.output_item.added", output_index: place, item: { ...itemOf(key), ...empty } };
    const kind = key === "text" ? "output_text" : "function_call_arguments";
    const item_id = itemOf(key)["id"];
    const delta = { type: `response.${kind}.delta`, item_id, output_index: place, content_index: 0, delta: piece.text };
    return known === undefined ? [added, delta] : [delta];
  });
  const done = items.map((item, output_index) => ({ type: "response.output_item.done", output_index, item }));
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "theirs",
    status: "in_progress",
    output: [],
  };
  const usage = {
    input_tokens: 7,
    output_tokens: 9,
    total_tokens: 16,
    input_tokens_details: { cached_tokens: 3, cache_write_tokens: 4 },
    output_tokens_details: { reasoning_tokens: 3 },
  };
  const events: Json[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...said,
    ...done,
    { type: "response.completed", response: { ...response, status: "completed", output: items, usage } },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

function messagesEvents(pieces: readonly Piece[]): Json[] {
  const places = new Map<number | "text", number>();
  const said = pieces.flatMap((piece): Json[] => {
    const key = piece.kind === "text" ? "text" : piece.call;
    const known = places.get(key);
    const index = known ?? places.size;
    places.set(key, index);
    const content_block =
      key === "text" ? { type: "text", text: "" } : { type: "tool_use", ...callName(key), input: {} };
    const delta =
      key === "text"
        ? { type: "text_delta", text: piece.text }
        : { type: "input_json_delta", partial_json: piece.text };
    const grown = { type: "content_block_delta", index, delta };
    return known === undefined ? [{ type: "content_block_start", index, content_block }, grown] : [grown];
  });
  const stops = [...places.values()].map((index) => ({ type: "content_block_stop", index }));
  const message = { id: "msg_1", type: "message", role: "assistant", model: "theirs", content: [], stop_reason: null };
  const usage = { input_tokens: 0, output_tokens: 1, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 };
  const reason = places.size === 0 || (places.size === 1 && places.has("text")) ? "end_turn" : "tool_use";
  return [
    { type: "message_start", message: { ...message, stop_sequence: null, usage } },
    ...said,
    ...stops,
    {
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 9, output_tokens_details: { thinking_tokens: 3 } },
    },
    { type: "message_stop" },
  ];
}

/** Only calls are announced, and what the answer took is told behind its end. */
function converseEvents(pieces: readonly Piece[]): Json[] {
  const places = new Map<number | "text", number>();
  const said = pieces.flatMap((piece): Json[] => {
    const key = piece.kind === "text" ? "text" : piece.call;
    const known = places.get(key);
    const contentBlockIndex = known ?? places.size;
    places.set(key, contentBlockIndex);
    if (piece.kind === "text") return [{ contentBlockIndex, delta: { text: piece.text } }];
    const { id, name } = callName(piece.call);
    const grown = { contentBlockIndex, delta: { toolUse: { input: piece.text } } };
    return known === undefined ? [{ contentBlockIndex, start: { toolUse: { toolUseId: id, name } } }, grown] : [grown];
  });
  const usage = { inputTokens: 0, outputTokens: 9, totalTokens: 16, cacheReadInputTokens: 3, cacheWriteInputTokens: 4 };
  return [
    { role: "assistant" },
    ...said,
    ...[...places.values()].map((contentBlockIndex) => ({ contentBlockIndex })),
    { stopReason: [...places.keys()].some((key) => key !== "text") ? "tool_use" : "end_turn" },
    { usage, metrics: { latencyMs: 1 } },
  ];
}

const geminiCall = ({ id, name, input }: Scripted["calls"][number]): Json => ({
  functionCall: { id, name, args: JSON.parse(input) as unknown },
});

/** Calls come whole, each where it is begun. */
function geminiEvents(pieces: readonly Piece[]): Json[] {
  const { calls } = scripted(pieces, "gemini");
  const begun = new Set<number>();
  const usageMetadata = {
    promptTokenCount: 7,
    candidatesTokenCount: 6,
    totalTokenCount: 16,
    cachedContentTokenCount: 3,
    thoughtsTokenCount: 3,
  };
  const chunk = (parts: Json[], end: Json = {}): Json => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...end }],
    usageMetadata,
    modelVersion: "theirs",
    responseId: "r",
  });
  const said = pieces.flatMap((piece) => {
    if (piece.kind === "text") return [chunk([{ text: piece.text }])];
    if (begun.has(piece.call)) return [];
    begun.add(piece.call);
    return calls.filter(({ id }) => id === callName(piece.call).id).map((call) => chunk([geminiCall(call)]));
  });
  return [...said, chunk([{ text: "" }], { finishReason: "STOP" })];
}
