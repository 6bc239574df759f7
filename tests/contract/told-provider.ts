import { type Dialect, providerDialect, type Spoken, translates } from "../support/provider-dialect.ts";

/** A body as a provider got it. */
export type ToldBody = Readonly<Record<string, unknown>>;

/** The limit of output a provider was told, whatever its format calls it. */
export const limitTold = (body: unknown): unknown => {
  const { max_tokens, max_completion_tokens, max_output_tokens, generationConfig, inferenceConfig } = body as ToldBody;
  const { maxOutputTokens } = (generationConfig ?? {}) as ToldBody;
  const { maxTokens } = (inferenceConfig ?? {}) as ToldBody;
  return max_tokens ?? max_completion_tokens ?? max_output_tokens ?? maxOutputTokens ?? maxTokens;
};

/** By which name a provider knows the caller's user. */
export function userTold(body: unknown): unknown {
  const { user, safety_identifier, metadata } = body as ToldBody;
  return user ?? safety_identifier ?? (metadata as ToldBody | undefined)?.["user_id"];
}

/** What `store` says to a provider. Of the formats into which a request is translated, responses alone are kept unless told otherwise. */
export const storeTold = (callers: Dialect): unknown =>
  providerDialect(callers) === "responses" || !translates() ? false : undefined;

/** What each format says so that a provider takes its ordinary price. */
const ORDINARY_TIER: Record<Spoken, unknown> = {
  chat: undefined,
  responses: "default",
  messages: "standard_only",
  gemini: undefined,
  converse: undefined,
};

export const ordinaryTier = (callers: Dialect): unknown => ORDINARY_TIER[providerDialect(callers)];

/** The headers of every call: ours, and those its format cannot do without. */
export function headersTold(callers: Dialect): string[] {
  const ours = ["connection", "content-length", "content-type", "host", "user-agent"];
  return providerDialect(callers) === "messages" ? ["anthropic-version", ...ours] : ours;
}
