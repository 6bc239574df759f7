import type { ProviderDialect } from "../core/request/dialect.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { Json } from "../core/bytes/json.ts";
import type { Usage } from "../core/money/usage.ts";
import { chatUsageIn, readChatUsage } from "../wire/chat/chat-usage.ts";
import { readConverseUsage } from "../wire/converse/converse-usage.ts";
import { readGeminiUsage } from "../wire/gemini/gemini-usage.ts";
import { mergeMessagesUsage, readMessagesUsage } from "../wire/messages/messages-usage.ts";
import { readResponsesUsage } from "../wire/responses/responses-usage.ts";
import type { Subject } from "./trial.ts";
import { eventsIn, isStream, member, objectIn } from "./read-events.ts";

/** What a provider said it used. `usage` is null where it said nothing that can be true; `raw` is what it said. */
export type ReportedUsage = { usage: Usage | null; raw: Json | null };

type Source = { raw: (events: readonly Json[]) => unknown; read: (raw: Json, model: string) => Usage | null };

const SOURCES: Readonly<Record<ProviderDialect, Source>> = {
  chat: { raw: (events) => events.map(chatUsageIn).findLast(isObject), read: readChatUsage },
  responses: {
    raw: (events) =>
      events.map((event) => event["response"] ?? event).findLast((response) => isObject(member(response, "usage"))),
    read: readResponsesUsage,
  },
  messages: {
    raw: (events) => {
      const given = events.map((event) => member(event, "message", "usage") ?? event["usage"]).filter(isObject);
      return given.length === 0 ? null : given.reduce<Json>(mergeMessagesUsage, {});
    },
    read: readMessagesUsage,
  },
  converse: {
    raw: (events) => events.findLast((event) => isObject(event["usage"])),
    read: (event, model) => readConverseUsage(event, { model, streamed: event["output"] === undefined }),
  },
  gemini: {
    raw: (events) => events.map((event) => event["usageMetadata"]).findLast(isObject),
    read: (raw) => readGeminiUsage(raw),
  },
};

export function reportedUsage(
  { dialect, upstreamModel }: Pick<Subject, "dialect" | "upstreamModel">,
  text: string,
): ReportedUsage {
  const { raw, read } = SOURCES[dialect];
  const whole = isStream(text) ? null : objectIn(text);
  const found = raw(whole === null ? eventsIn(text) : [whole]);
  if (!isObject(found)) return { usage: null, raw: null };
  const shown =
    (dialect === "responses" || dialect === "converse") && isObject(found["usage"]) ? found["usage"] : found;
  return { usage: read(found, upstreamModel), raw: shown };
}

const CACHED: Readonly<Record<ProviderDialect, (raw: Json) => { cached: unknown; input: unknown } | null>> = {
  chat: (raw) => ({ cached: member(raw, "prompt_tokens_details", "cached_tokens"), input: raw["prompt_tokens"] }),
  responses: (raw) => ({ cached: member(raw, "input_tokens_details", "cached_tokens"), input: raw["input_tokens"] }),
  // Counted beside the input, so that no share of it can be too large.
  messages: () => null,
  converse: () => null,
  gemini: (raw) => ({ cached: raw["cachedContentTokenCount"], input: raw["promptTokenCount"] }),
};

/** Cached tokens of which there are more than there is input; null when that is not so. */
export function impossibleCache(dialect: ProviderDialect, raw: Json | null): { cached: number; input: number } | null {
  const { cached, input } = (raw && CACHED[dialect](raw)) ?? {};
  return typeof cached === "number" && typeof input === "number" && cached > input ? { cached, input } : null;
}
