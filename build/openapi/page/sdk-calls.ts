/** What an example asks for decides what a program does with the response. */
export type Kind = "plain" | "streamed" | "tools";

/** One operation as a method of an SDK: the same name in both languages unless `javascript` has another. */
export type SdkCall = {
  method: { python: string; javascript: string };
  /** What the response is called. */
  result: string;
  /** Statements that show it. `result` stands for the response, `item` for an element of a list or an event of a stream. */
  show: Partial<Record<Kind, { python: readonly string[]; javascript: readonly string[] }>>;
  /** Whether the response is a list to go through instead of a value. */
  isList?: true;
};

const same = (method: string) => ({ python: method, javascript: method });
const printed = (python: string, javascript = python) => ({
  python: [`print(${python})`],
  javascript: [`console.log(${javascript});`],
});
/** A piece of text as it arrives. */
const flowing = (condition: string, text: string, language: { condition?: string; text?: string } = {}) => ({
  python: [`if ${condition}:`, `    print(${text}, end="", flush=True)`],
  javascript: [`if (${language.condition ?? condition}) process.stdout.write(${language.text ?? text});`],
});

const MODEL_CALLS: Record<string, SdkCall> = {
  listModels: { method: same("models.list"), result: "model", isList: true, show: { plain: printed("model.id") } },
  getModel: { method: same("models.retrieve"), result: "model", show: { plain: printed("model.id") } },
};

/** The operations that the OpenAI SDKs call; usage has no method there, so it is asked for by its path. */
export const OPENAI_CALLS: Record<string, SdkCall> = {
  ...MODEL_CALLS,
  createChatCompletion: {
    method: same("chat.completions.create"),
    result: "completion",
    show: {
      plain: printed("completion.choices[0].message.content"),
      tools: printed("completion.choices[0].message.tool_calls"),
      streamed: {
        python: ["for choice in event.choices:", '    print(choice.delta.content or "", end="", flush=True)'],
        javascript: ['process.stdout.write(event.choices[0]?.delta.content ?? "");'],
      },
    },
  },
  createResponse: {
    method: same("responses.create"),
    result: "response",
    show: {
      plain: printed("response.output_text"),
      streamed: flowing('event.type == "response.output_text.delta"', "event.delta", {
        condition: 'event.type === "response.output_text.delta"',
      }),
    },
  },
  createEmbedding: {
    method: same("embeddings.create"),
    result: "embeddings",
    show: {
      plain: { python: ["print(len(embeddings.data))"], javascript: ["console.log(embeddings.data.length);"] },
    },
  },
  getUsage: { method: same("get"), result: "usage", show: { plain: printed("usage") } },
};

export const ANTHROPIC_CALLS: Record<string, SdkCall> = {
  ...MODEL_CALLS,
  createMessage: {
    method: same("messages.create"),
    result: "message",
    show: {
      plain: printed("message.content[0].text", "message.content"),
      tools: printed("message.content"),
      streamed: flowing(
        'event.type == "content_block_delta" and event.delta.type == "text_delta"',
        "event.delta.text",
        {
          condition: 'event.type === "content_block_delta" && event.delta.type === "text_delta"',
        },
      ),
    },
  },
  countMessageTokens: {
    method: { python: "messages.count_tokens", javascript: "messages.countTokens" },
    result: "count",
    show: { plain: printed("count.input_tokens") },
  },
};
