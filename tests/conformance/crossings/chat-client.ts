import { APIError, type OpenAI } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import type {
  ChatCompletion,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import {
  type CrossingClient,
  GO_ON,
  HELLO,
  type Heard,
  optionsOf,
  type Question,
  TOOL_SCHEMA,
} from "./crossing-client.ts";

/** Fields of thoughts, which the official types do not have and the client passes on. */
type Thoughtful = { reasoning_content?: string | null; reasoning?: string | null; reasoning_details?: object[] };

export function createChatClient(openai: OpenAI): CrossingClient {
  const { completions } = openai.chat;

  async function ask(question: Question): Promise<Heard> {
    const body = bodyOf(question);
    const options = optionsOf(question);
    if (question.how === "plain") {
      const asked =
        question.schema === undefined ? completions.create(body, options) : completions.parse(body, options);
      return heardOf(await asked);
    }
    const stream = completions.stream({ ...body, stream: true, stream_options: { include_usage: true } }, options);
    const thoughts: Thoughtful = {};
    stream.on("chunk", ({ choices }) => addThoughts(thoughts, choices[0]?.delta as Thoughtful | undefined));
    return heardOf(await stream.finalChatCompletion(), thoughts);
  }

  return {
    ask,
    leave: async (question, { said, told }) => {
      if (question.how === "plain") {
        const leaving = new AbortController();
        void told().then(() => leaving.abort());
        await completions.create(bodyOf(question), { signal: leaving.signal });
        return;
      }
      const stream = completions.stream({ ...bodyOf(question), stream: true });
      stream.on("content", (_, text) => {
        if (text === said) stream.abort();
      });
      await stream.done();
    },
    codeOf: (error) => (error instanceof APIError ? error.code : null),
  };
}

function bodyOf({ model, limitTokens = 900, ...question }: Question): ChatCompletionCreateParamsNonStreaming {
  const { tools, schema, stop, thinks, more } = question;
  return {
    ...more,
    model,
    max_tokens: limitTokens,
    messages: [{ role: "user", content: contentOf(question) }, ...nextTurn(question)],
    ...(tools && { tools: tools.map((name) => ({ type: "function", function: { name, parameters: TOOL_SCHEMA } })) }),
    ...(schema && { response_format: zodResponseFormat(schema, "answer") }),
    ...(stop !== undefined && { stop }),
    ...(thinks && { reasoning_effort: "high" }),
  };
}

function contentOf({ picture, document }: Omit<Question, "model">): ChatCompletionContentPart[] {
  const parts: ChatCompletionContentPart[] = [{ type: "text", text: HELLO }];
  if (picture) parts.push({ type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } });
  if (document) {
    const file = { filename: "paper.pdf", file_data: `data:application/pdf;base64,${document}` };
    parts.push({ type: "file", file });
  }
  return parts;
}

function nextTurn({ after }: Omit<Question, "model">): ChatCompletionMessageParam[] {
  if (after === undefined) return [];
  const { turn, results } = after;
  return [
    ...(turn as ChatCompletionMessageParam[]),
    ...results.map(({ id, text }) => ({ role: "tool" as const, tool_call_id: id, content: text })),
    ...(results.length === 0 ? [{ role: "user" as const, content: GO_ON }] : []),
  ];
}

/** The official helper keeps only the last piece of a field it does not know, so clients add them up by themselves. */
function addThoughts(thoughts: Thoughtful, delta: Thoughtful = {}): void {
  for (const field of ["reasoning_content", "reasoning"] as const)
    if (typeof delta[field] === "string") thoughts[field] = (thoughts[field] ?? "") + delta[field];
  if (delta.reasoning_details)
    thoughts.reasoning_details = [...(thoughts.reasoning_details ?? []), ...delta.reasoning_details];
}

function heardOf({ choices, usage }: ChatCompletion, streamed: Thoughtful = {}): Heard {
  const { message, finish_reason: stop } = choices[0] ?? { message: null, finish_reason: "" };
  const whole = { ...message, ...streamed } as typeof message & Thoughtful;
  return {
    text: message?.content ?? "",
    thoughts: whole.reasoning_content ?? whole.reasoning ?? "",
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === "function"
        ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }]
        : [],
    ),
    refusal: message?.refusal ?? null,
    stop,
    inputTokens: usage?.prompt_tokens ?? -1,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? -1,
    outputTokens: usage?.completion_tokens ?? -1,
    orderly: true,
    parsed: message !== null && "parsed" in message ? message.parsed : null,
    turn: [whole],
  };
}
