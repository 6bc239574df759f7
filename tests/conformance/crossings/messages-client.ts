import { type Anthropic, APIError } from "@anthropic-ai/sdk";
import type { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import type {
  ContentBlock,
  ContentBlockParam,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
} from "@anthropic-ai/sdk/resources/messages";
import {
  type CrossingClient,
  GO_ON,
  HELLO,
  type Heard,
  optionsOf,
  type Question,
  TOOL_SCHEMA,
} from "./crossing-client.ts";

export function createMessagesClient({ messages }: Anthropic): CrossingClient {
  return {
    ask: async (question) => {
      const body = bodyOf(question);
      const options = optionsOf(question);
      if (question.how === "streamed") {
        const stream = messages.stream(body, options);
        const order = watchOrder(stream);
        return { ...heardOf(await stream.finalMessage()), orderly: order.kept };
      }
      return heardOf(
        await (question.schema === undefined ? messages.create(body, options) : messages.parse(body, options)),
      );
    },
    leave: async (question, { said, told }) => {
      if (question.how === "plain") {
        const leaving = new AbortController();
        void told().then(() => leaving.abort());
        await messages.create(bodyOf(question), { signal: leaving.signal });
        return;
      }
      const stream = messages.stream(bodyOf(question));
      stream.on("text", (_, text) => {
        if (text === said) stream.abort();
      });
      await stream.done();
    },
    codeOf: (error) => {
      if (!(error instanceof APIError)) return null;
      const { error: body } = error as { error?: { error?: { code?: unknown } } };
      return body?.error?.code;
    },
  };
}

function bodyOf({ model, limitTokens = 900, ...question }: Question): MessageCreateParamsNonStreaming {
  const { tools, schema, stop, thinks, more } = question;
  const effort = thinks && { effort: "high" as const };
  return {
    ...more,
    model,
    max_tokens: limitTokens,
    messages: [{ role: "user", content: contentOf(question) }, ...nextTurn(question)],
    ...(tools && { tools: tools.map((name) => ({ name, input_schema: TOOL_SCHEMA })) }),
    ...((schema ?? thinks) && { output_config: { ...effort, ...(schema && { format: zodOutputFormat(schema) }) } }),
    ...(stop !== undefined && { stop_sequences: [stop] }),
    ...(thinks && { thinking: { type: "adaptive", display: "summarized" } }),
  };
}

function contentOf({ picture, document }: Omit<Question, "model">): ContentBlockParam[] {
  const blocks: ContentBlockParam[] = [{ type: "text", text: HELLO }];
  if (picture) blocks.push({ type: "image", source: { type: "base64", media_type: "image/png", data: picture } });
  if (document) {
    const source = { type: "base64" as const, media_type: "application/pdf" as const, data: document };
    blocks.push({ type: "document", source, title: "paper.pdf" });
  }
  return blocks;
}

function nextTurn({ after }: Omit<Question, "model">): MessageParam[] {
  if (after === undefined) return [];
  const { turn, results } = after;
  const told = results.map(({ id, text }) => ({ type: "tool_result" as const, tool_use_id: id, content: text }));
  return [
    { role: "assistant", content: turn as ContentBlockParam[] },
    { role: "user", content: told.length === 0 ? GO_ON : told },
  ] as MessageParam[];
}

function heardOf(message: Message): Heard {
  const { content, usage, stop_reason: stop, stop_details: details } = message;
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const cachedTokens = usage.cache_read_input_tokens ?? 0;
  return {
    text,
    thoughts: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    refusal: stop === "refusal" ? (explanationOf(details) ?? text) : null,
    stop: stop ?? "",
    inputTokens: usage.input_tokens + cachedTokens,
    cachedTokens,
    outputTokens: usage.output_tokens,
    orderly: true,
    parsed: "parsed_output" in message ? message.parsed_output : null,
    turn: content.map((block) => sendable(block)),
  };
}

/** The official helper takes events in any order; other clients do not. */
function watchOrder<Parsed>(stream: MessageStream<Parsed>): { kept: boolean } {
  const order = { kept: true };
  let open: number | null = null;
  stream.on("streamEvent", (event) => {
    if (!("index" in event)) return;
    const begins = event.type === "content_block_start";
    if (open !== (begins ? null : event.index)) order.kept = false;
    open = event.type === "content_block_stop" ? null : event.index;
  });
  return order;
}

const explanationOf = (details: Message["stop_details"]): string | null =>
  details !== null && "explanation" in details ? (details.explanation ?? null) : null;

/** The client's parser leaves a member on a block that the API does not take back. */
function sendable(block: ContentBlock): object {
  const { parsed_output: _, ...rest } = block as ContentBlock & { parsed_output?: unknown };
  return rest;
}
