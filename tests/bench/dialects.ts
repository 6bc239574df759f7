type Call = { model: string; content: string; streamed: boolean };

/** A format that is measured, and what a call in it looks like. */
type Dialect = {
  /** Where its provider is, below the origin of all. */
  base: string;
  /** The end of the path; that of streams may be another one. */
  operation: (streamed: boolean) => string;
  /** Stands before the model's name in the path, in formats that name it there. */
  modelPath: string | null;
  headers: Record<string, string>;
  body: (call: Call) => object;
  /** What a call adds to be told the tokens of a stream, where a provider does not tell them unasked. */
  usageAsked: { stream_options: { include_usage: true } } | null;
  /** Whether callers speak it, or providers alone. */
  callers: "yes" | "no";
};

const messages = (content: string): object[] => [{ role: "user", content }];
const streamed = (call: Call): object => (call.streamed ? { stream: true } : {});
const common = { base: "/v1", modelPath: null, headers: {}, usageAsked: null, callers: "yes" } as const;

/** One entry per format. A format of providers alone is measured as the origin of translated streams. */
export const DIALECTS = {
  chat: {
    ...common,
    operation: () => "/chat/completions",
    body: (call) => ({ model: call.model, messages: messages(call.content), max_tokens: 1000, ...streamed(call) }),
    usageAsked: { stream_options: { include_usage: true } },
  },
  responses: {
    ...common,
    operation: () => "/responses",
    body: (call) => ({ model: call.model, input: call.content, max_output_tokens: 1000, ...streamed(call) }),
  },
  messages: {
    ...common,
    operation: () => "/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: (call) => ({ model: call.model, messages: messages(call.content), max_tokens: 1000, ...streamed(call) }),
  },
  gemini: {
    ...common,
    base: "/v1beta",
    headers: { "x-goog-api-key": "bench" },
    modelPath: "/models/",
    operation: (stream) => (stream ? ":streamGenerateContent?alt=sse" : ":generateContent"),
    body: ({ content }) => ({
      contents: [{ role: "user", parts: [{ text: content }] }],
      generationConfig: { maxOutputTokens: 1000 },
    }),
    callers: "no",
  },
  converse: {
    ...common,
    base: "",
    modelPath: "/model/",
    operation: (stream) => (stream ? "/converse-stream" : "/converse"),
    body: ({ content }) => ({
      messages: [{ role: "user", content: [{ text: content }] }],
      inferenceConfig: { maxTokens: 1000 },
    }),
    callers: "no",
  },
} satisfies Record<string, Dialect>;

export type BenchDialect = keyof typeof DIALECTS;

export const dialectOf = (name: BenchDialect): Dialect => DIALECTS[name];
export const PROVIDER_DIALECTS = Object.keys(DIALECTS) as BenchDialect[];
export const CALLER_DIALECTS = PROVIDER_DIALECTS.filter((name) => dialectOf(name).callers === "yes");

/** The path of a call, from the origin. */
export function pathOf(name: BenchDialect, { model, streamed: stream }: Pick<Call, "model" | "streamed">): string {
  const { base, modelPath, operation } = dialectOf(name);
  return `${base}${modelPath === null ? "" : `${modelPath}${encodeURIComponent(model)}`}${operation(stream)}`;
}
