import type { Route, Tokens } from "./evidence.ts";

type Body = { model: string; prompt: string; streamed: boolean; maxTokens: number | null };

/** What an event means to a caller. */
export type Sign = {
  content: boolean;
  terminal: boolean;
  /** The code of an error within the stream. */
  error: string | null;
  usage: Partial<Tokens>;
};

type WireRoute = {
  path: string;
  body: (body: Body) => object;
  sign: (event: Json) => Sign;
  /** Of a plain answer. */
  usage: (answer: Json) => Partial<Tokens>;
};

/** As deep as anything is read here; a field that is not there reads as undefined. */
export type Json = { [name: string]: Json | undefined } & { toString: () => string };

const NOTHING: Sign = { content: false, terminal: false, error: null, usage: {} };

/** How each route is asked, and how its end, its errors and its usage are told. */
export const WIRE_ROUTES: Record<Route, WireRoute> = {
  chat: {
    path: "/v1/chat/completions",
    body: ({ model, prompt, streamed, maxTokens }) => ({
      model,
      messages: [{ role: "user", content: prompt }],
      ...(streamed && { stream: true, stream_options: { include_usage: true } }),
      ...(maxTokens !== null && { max_tokens: maxTokens }),
    }),
    sign: (event) => {
      if (event["error"] !== undefined) return { ...NOTHING, error: codeOf(event["error"]) };
      const text = event["choices"]?.["0"]?.["delta"]?.["content"];
      return { ...NOTHING, content: typeof text === "string" && text !== "", usage: chatUsage(event) };
    },
    usage: (answer) => chatUsage(answer),
  },
  responses: {
    path: "/v1/responses",
    body: ({ model, prompt, streamed, maxTokens }) => ({
      model,
      input: prompt,
      ...(streamed && { stream: true }),
      ...(maxTokens !== null && { max_output_tokens: maxTokens }),
    }),
    sign: (event) => {
      const type = String(event["type"]);
      const terminal = type === "response.completed" || type === "response.incomplete";
      if (type === "response.failed") return { ...NOTHING, error: codeOf(event["response"]?.["error"]) };
      if (type === "error") return { ...NOTHING, error: codeOf(event) };
      return {
        ...NOTHING,
        terminal,
        content: type === "response.output_text.delta",
        usage: terminal ? plainUsage(event["response"]) : {},
      };
    },
    usage: (answer) => plainUsage(answer),
  },
  messages: {
    path: "/v1/messages",
    body: ({ model, prompt, streamed, maxTokens }) => ({
      model,
      messages: [{ role: "user", content: prompt }],
      ...(streamed && { stream: true }),
      max_tokens: maxTokens ?? 1_024,
    }),
    sign: (event) => {
      const type = String(event["type"]);
      if (type === "error") return { ...NOTHING, error: codeOf(event["error"]) };
      const usage = type === "message_start" ? plainUsage(event["message"]) : plainUsage(event);
      return { ...NOTHING, terminal: type === "message_stop", content: type === "content_block_delta", usage };
    },
    usage: (answer) => plainUsage(answer),
  },
};

/** Chat ends with a word that is no JSON. */
export function signOf(route: Route, data: string): Sign {
  if (route === "chat" && data === "[DONE]") return { ...NOTHING, terminal: true };
  return WIRE_ROUTES[route].sign(JSON.parse(data) as Json);
}

export const codeOf = (error: Json | undefined): string => String(error?.["code"] ?? error?.["type"] ?? "unknown");

function chatUsage({ usage }: Json): Partial<Tokens> {
  return tokens(usage?.["prompt_tokens"], usage?.["completion_tokens"]);
}

function plainUsage(holder: Json | undefined): Partial<Tokens> {
  const usage = holder?.["usage"];
  return tokens(usage?.["input_tokens"], usage?.["output_tokens"]);
}

function tokens(input: unknown, output: unknown): Partial<Tokens> {
  return {
    ...(typeof input === "number" && { inputTokens: input }),
    ...(typeof output === "number" && { outputTokens: output }),
  };
}
