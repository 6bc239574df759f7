import { APIError, type OpenAI } from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputContent,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import {
  type CrossingClient,
  GO_ON,
  HELLO,
  type Heard,
  optionsOf,
  type Question,
  TOOL_SCHEMA,
} from "./crossing-client.ts";

/** The official helper hands a failed answer over like any other; a caller looks at its status. */
class FailedResponse extends Error {
  override readonly name = "FailedResponse";
  readonly code: string | undefined;

  constructor({ error }: Response) {
    super(error?.message);
    this.code = error?.code;
  }
}

export function createResponsesClient({ responses }: OpenAI): CrossingClient {
  return {
    ask: async (question) => {
      const body = bodyOf(question);
      const options = optionsOf(question);
      if (question.how === "streamed")
        return heardOf(await responses.stream({ ...body, stream: true }, options).finalResponse());
      return heardOf(
        await (question.schema === undefined ? responses.create(body, options) : responses.parse(body, options)),
      );
    },
    leave: async (question, { said, told }) => {
      if (question.how === "plain") {
        const leaving = new AbortController();
        void told().then(() => leaving.abort());
        await responses.create(bodyOf(question), { signal: leaving.signal });
        return;
      }
      const stream = responses.stream({ ...bodyOf(question), stream: true });
      stream.on("response.output_text.delta", ({ snapshot }) => {
        if (snapshot === said) stream.abort();
      });
      await stream.done();
    },
    codeOf: (error) => (error instanceof APIError || error instanceof FailedResponse ? error.code : null),
  };
}

function bodyOf({ model, limitTokens = 900, ...question }: Question): ResponseCreateParamsNonStreaming {
  const { tools, schema, thinks, more } = question;
  return {
    ...more,
    model,
    max_output_tokens: limitTokens,
    input: [{ role: "user", content: contentOf(question) }, ...nextTurn(question)],
    ...(tools && {
      tools: tools.map((name) => ({ type: "function", name, parameters: TOOL_SCHEMA, strict: false })),
    }),
    ...(schema && { text: { format: zodTextFormat(schema, "answer") } }),
    ...(thinks && { reasoning: { effort: "high", summary: "auto" }, include: ["reasoning.encrypted_content"] }),
  };
}

function contentOf({ picture, document }: Omit<Question, "model">): ResponseInputContent[] {
  const parts: ResponseInputContent[] = [{ type: "input_text", text: HELLO }];
  if (picture) parts.push({ type: "input_image", image_url: `data:image/png;base64,${picture}`, detail: "auto" });
  if (document) {
    parts.push({ type: "input_file", filename: "paper.pdf", file_data: `data:application/pdf;base64,${document}` });
  }
  return parts;
}

function nextTurn({ after }: Omit<Question, "model">): ResponseInputItem[] {
  if (after === undefined) return [];
  const { turn, results } = after;
  return [
    ...(turn as ResponseInputItem[]),
    ...results.map(({ id, text }) => ({ type: "function_call_output" as const, call_id: id, output: text })),
    ...(results.length === 0 ? [{ role: "user" as const, content: GO_ON }] : []),
  ];
}

function heardOf(response: Response): Heard {
  if (response.status === "failed") throw new FailedResponse(response);
  const { output, usage, incomplete_details: incomplete } = response;
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const thoughts = output.flatMap((item) => (item.type === "reasoning" ? item.summary : []));
  return {
    text: response.output_text,
    thoughts: thoughts.map(({ text }) => text).join(""),
    calls: output.flatMap((item) =>
      item.type === "function_call"
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
        : [],
    ),
    refusal: parts.find((part) => part.type === "refusal")?.refusal ?? null,
    stop: incomplete?.reason ?? response.status ?? "",
    inputTokens: usage?.input_tokens ?? -1,
    cachedTokens: usage?.input_tokens_details.cached_tokens ?? -1,
    outputTokens: usage?.output_tokens ?? -1,
    orderly: true,
    parsed: "output_parsed" in response ? response.output_parsed : null,
    turn: output,
  };
}
