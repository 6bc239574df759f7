import type { ClientDialect } from "../core/request/dialect.ts";
import type { Json } from "../core/bytes/json.ts";
import { eventsIn, isStream, listIn, objectIn, textIn } from "./read-events.ts";

export type ToolCall = { id: string; name: string; arguments: string };

/** A response of the gateway as a client understands it. */
export type ReadReply = {
  text: string;
  calls: ToolCall[];
  /** Why it ended; empty when it does not say. */
  finish: string;
  /** What a client sends back of it in its next turn. */
  echo: unknown[];
};

const NOTHING: ReadReply = { text: "", calls: [], finish: "", echo: [] };

type Read = (answer: Json) => ReadReply;

const WHOLE: Readonly<Record<ClientDialect, Read>> = {
  chat: (answer) => {
    const [choice] = listIn(answer, "choices");
    const message = choice?.["message"];
    return {
      text: textIn(message, "content"),
      calls: listIn(message, "tool_calls").map((call) => ({
        id: textIn(call, "id"),
        name: textIn(call, "function", "name"),
        arguments: textIn(call, "function", "arguments"),
      })),
      finish: textIn(choice, "finish_reason"),
      echo: message === undefined ? [] : [message],
    };
  },
  responses: (answer) => {
    const output = listIn(answer, "output");
    return {
      text: output.flatMap((item) => listIn(item, "content").map((part) => textIn(part, "text"))).join(""),
      calls: output
        .filter(({ type }) => type === "function_call")
        .map((item) => ({
          id: textIn(item, "call_id"),
          name: textIn(item, "name"),
          arguments: textIn(item, "arguments"),
        })),
      finish: textIn(answer, "status"),
      echo: output,
    };
  },
  messages: (answer) => {
    const content = listIn(answer, "content");
    return {
      text: content.map((block) => textIn(block, "text")).join(""),
      calls: content
        .filter(({ type }) => type === "tool_use")
        .map((block) => ({
          id: textIn(block, "id"),
          name: textIn(block, "name"),
          arguments: JSON.stringify(block["input"] ?? null),
        })),
      finish: textIn(answer, "stop_reason"),
      echo: content,
    };
  },
};

type ReadEvents = (events: readonly Json[]) => ReadReply;

const STREAMED: Readonly<Record<ClientDialect, ReadEvents>> = {
  chat: (events) => {
    const choices = events.flatMap((event) => listIn(event, "choices"));
    const calls = new Map<unknown, ToolCall>();
    for (const piece of choices.flatMap((choice) => listIn(choice, "delta", "tool_calls"))) {
      const call = calls.get(piece["index"]) ?? { id: "", name: "", arguments: "" };
      call.id ||= textIn(piece, "id");
      call.name ||= textIn(piece, "function", "name");
      call.arguments += textIn(piece, "function", "arguments");
      calls.set(piece["index"], call);
    }
    return {
      ...NOTHING,
      text: choices.map((choice) => textIn(choice, "delta", "content")).join(""),
      calls: [...calls.values()],
      finish: choices.map((choice) => textIn(choice, "finish_reason")).findLast((reason) => reason !== "") ?? "",
    };
  },
  responses: (events) => {
    const ended = events.findLast((event) => /^response\.(completed|incomplete|failed)$/.test(textIn(event, "type")));
    const written = events
      .filter(({ type }) => type === "response.output_text.delta")
      .map((event) => textIn(event, "delta"))
      .join("");
    const response = ended?.["response"];
    return { ...WHOLE.responses((response ?? {}) as Json), text: written };
  },
  messages: (events) => {
    const calls = new Map<unknown, ToolCall>();
    for (const event of events) {
      if (textIn(event, "content_block", "type") === "tool_use")
        calls.set(event["index"], {
          id: textIn(event, "content_block", "id"),
          name: textIn(event, "content_block", "name"),
          arguments: "",
        });
      const call = calls.get(event["index"]);
      if (call) call.arguments += textIn(event, "delta", "partial_json");
    }
    return {
      ...NOTHING,
      text: events.map((event) => textIn(event, "delta", "text")).join(""),
      calls: [...calls.values()],
      finish: events.map((event) => textIn(event, "delta", "stop_reason")).findLast((reason) => reason !== "") ?? "",
    };
  },
};

export function readReply(dialect: ClientDialect, text: string): ReadReply {
  if (isStream(text)) return STREAMED[dialect](eventsIn(text));
  const answer = objectIn(text);
  return answer === null ? NOTHING : WHOLE[dialect](answer);
}
