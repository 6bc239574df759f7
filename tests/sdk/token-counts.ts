import type { ProviderDialect } from "../../src/core/request/dialect.ts";

type Usage = Record<string, unknown>;

/** Tokens in one convention: cached ones are part of the input, and those of reasoning of the output. */
export type TokenCounts = { input: number; output: number; cacheRead: number; cacheWrite: number; reasoning: number };

const count = (value: unknown): number => (typeof value === "number" ? value : 0);
const members = (value: unknown): Usage => (typeof value === "object" && value !== null ? (value as Usage) : {});

/** What a usage object comes to, by the convention of its dialect. Written apart from the product, to be held against it. */
export function countTokens(dialect: ProviderDialect, usage: Usage): TokenCounts {
  if (dialect === "gemini") {
    const reasoning = count(usage["thoughtsTokenCount"]);
    return {
      input: count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]),
      output: count(usage["candidatesTokenCount"]) + reasoning,
      cacheRead: count(usage["cachedContentTokenCount"]),
      cacheWrite: 0,
      reasoning,
    };
  }
  if (dialect === "converse") {
    const cacheRead = count(usage["cacheReadInputTokens"]);
    const cacheWrite = count(usage["cacheWriteInputTokens"]);
    const input = count(usage["inputTokens"]) + cacheRead + cacheWrite;
    return { input, output: count(usage["outputTokens"]), cacheRead, cacheWrite, reasoning: 0 };
  }
  if (dialect === "chat") return chatCounts(usage);
  if (dialect === "responses") {
    const cached = members(usage["input_tokens_details"]);
    return {
      input: count(usage["input_tokens"]),
      output: count(usage["output_tokens"]),
      cacheRead: count(cached["cached_tokens"]),
      cacheWrite: count(cached["cache_write_tokens"]),
      reasoning: count(members(usage["output_tokens_details"])["reasoning_tokens"]),
    };
  }
  return messagesCounts(usage);
}

/** One provider counts its reasoning beside the completion, which shows in the total; one names cached tokens in no details. */
function chatCounts(usage: Usage): TokenCounts {
  const input = count(usage["prompt_tokens"]);
  const completion = count(usage["completion_tokens"]);
  const cached = members(usage["prompt_tokens_details"]);
  const reasoning = count(members(usage["completion_tokens_details"])["reasoning_tokens"]);
  return {
    input,
    output: usage["total_tokens"] === input + completion + reasoning ? completion + reasoning : completion,
    cacheRead: count(cached["cached_tokens"] ?? usage["cached_tokens"]),
    cacheWrite: count(cached["cache_write_tokens"]),
    reasoning,
  };
}

/** Every pass over a context that was shortened on the way is billed; this dialect counts cached tokens beside the input. */
function messagesCounts(usage: Usage): TokenCounts {
  const listed = usage["iterations"];
  const passes = Array.isArray(listed) && listed.length > 0 ? (listed as Usage[]) : [usage];
  const sum = (name: string): number => passes.reduce((total, pass) => total + count(pass[name]), 0);
  const cacheRead = sum("cache_read_input_tokens");
  const cacheWrite = sum("cache_creation_input_tokens");
  return {
    input: sum("input_tokens") + cacheRead + cacheWrite,
    output: sum("output_tokens"),
    cacheRead,
    cacheWrite,
    reasoning: count(members(usage["output_tokens_details"])["thinking_tokens"]),
  };
}

type Said = {
  usageMetadata?: Usage;
  metadata?: { usage?: Usage };
  usage?: Usage;
  x_groq?: { usage?: Usage };
  message?: { usage?: Usage };
  response?: { usage?: Usage };
};

/** What a provider has said of its usage, in whichever of its events or in its whole answer. */
export function usageIn(said: readonly unknown[]): Usage {
  const found = (said as Said[]).map(
    (event) =>
      event.usageMetadata ??
      event.metadata?.usage ??
      event.response?.usage ??
      event.message?.usage ??
      event.usage ??
      event.x_groq?.usage ??
      {},
  );
  return Object.assign({}, ...found.map(given)) as Usage;
}

/** What is not said again stays as it was. */
const given = (usage: Usage): Usage => Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
