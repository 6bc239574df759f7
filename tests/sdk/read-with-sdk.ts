import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ClientDialect } from "../../src/core/request/dialect.ts";

/** What an official client has understood of an answer. */
export type Understood = { text: string; refusal: string; calls: { id: string; name: string; input: unknown }[] };

/** Any of the three whole answers, as far as it is read here. */
type Answer = {
  choices?: { message: { content?: string | null; refusal?: string | null; tool_calls?: ChatCall[] | null } }[];
  output?: ResponsesItem[];
  content?: { type: string; text?: string; id?: string; name?: string; input?: unknown }[];
  stop_details?: { explanation?: string | null } | null;
  usage?: object | null;
  status?: string;
};
type ChatCall = { id: string; function: { name: string; arguments: string } };
type ResponsesItem = {
  type: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  content?: { type: string; text?: string; refusal?: string }[];
};

/** The official client of a dialect with its own helper for streams, given bytes in place of a network. */
export async function readWithSdk(dialect: ClientDialect, stream: string): Promise<Answer> {
  const fetch = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
  const asked = { model: "any", messages: [{ role: "user" as const, content: "hi" }] };
  if (dialect === "messages") {
    const client = new Anthropic({ apiKey: "x", fetch, maxRetries: 0 });
    return client.messages.stream({ ...asked, max_tokens: 9 }).finalMessage();
  }
  const client = new OpenAI({ apiKey: "x", fetch, maxRetries: 0 });
  if (dialect === "chat") return (await client.chat.completions.stream(asked).finalChatCompletion()) as Answer;
  const answer = (await client.responses.stream({ model: "any", input: "hi" }).finalResponse()) as Answer;
  // This helper hands a failed answer over like any other.
  if (answer.status === "failed") throw new Error("the response failed");
  return answer;
}

export function understood({ choices, output, content, stop_details: details }: Answer): Understood {
  if (choices !== undefined) {
    const message = choices[0]?.message;
    return {
      text: message?.content ?? "",
      refusal: message?.refusal ?? "",
      calls: (message?.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
        id,
        name,
        input: parsed(input),
      })),
    };
  }
  if (output !== undefined) {
    const parts = output.flatMap((item) => (item.type === "message" ? (item.content ?? []) : []));
    return {
      text: parts.map(({ type, text = "" }) => (type === "output_text" ? text : "")).join(""),
      refusal: parts.map(({ refusal = "" }) => refusal).join(""),
      calls: output.flatMap(({ type, call_id: id = "", name = "", arguments: input = "" }) =>
        type === "function_call" ? [{ id, name, input: parsed(input) }] : [],
      ),
    };
  }
  const blocks = content ?? [];
  return {
    text: blocks.map(({ type, text = "" }) => (type === "text" ? text : "")).join(""),
    refusal: details?.explanation ?? "",
    calls: blocks.flatMap(({ type, id = "", name = "", input }) => (type === "tool_use" ? [{ id, name, input }] : [])),
  };
}

/** Arguments that were cut off are no JSON; they are then compared as they stand. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text) as unknown;
  } catch {
    return text;
  }
}
