/**
 * What a refusal is about. `request` and `too_long`: what the client sent. `too_much`: more in one request than our account's rate
 * allows, so that it has to be shorter, or to go elsewhere. `key`: our credential. `account`: whatever else is ours, such as
 * quota, billing, region and permission.
 */
export type RefusalAbout = "request" | "too_long" | "too_much" | "key" | "account";

/** How providers say so: with a name that programs read, in words, or with both, which are then their own and not passed on. */
export type RefusalSign = { about: RefusalAbout } & (
  | { name: string; words?: undefined }
  | { words: RegExp; name?: undefined }
  | { name: string; words: RegExp }
);

const named = (about: RefusalAbout, ...names: string[]): RefusalSign[] => names.map((name) => ({ about, name }));
const worded = (about: RefusalAbout, ...words: RegExp[]): RefusalSign[] =>
  words.map((text) => ({ about, words: text }));

/** All that xAI says of a wrong key, with the ends of the key in it or not. */
const WRONG_KEY =
  /^Incorrect API key provided(: [^\s*]{0,8}\*{1,8}[^\s*]{0,8})?\. You can obtain an API key from https:\/\/console\.x\.ai\.?$/;

/**
 * By the family of providers that says so; `docs/reference/provider-refusals.json` has an example of each. No route is asked which
 * family it belongs to: proxies pass on what others say, so every sign is looked for in every refusal. A message may quote what the
 * client sent, so that words about our account count only at its beginning.
 */
export const REFUSAL_SIGNS: Readonly<Record<string, readonly RefusalSign[]>> = {
  OpenAI: [
    ...named("too_long", "context_length_exceeded", "model_context_window_exceeded"),
    ...worded("too_long", /context.{0,20}(length|window|limit)|maximum context/i),
    ...named("request", "invalid_prompt", "content_policy_violation"),
    ...worded("too_much", /^Request too large for /),
    ...named("key", "invalid_api_key"),
    ...named("account", "insufficient_quota", "billing_hard_limit_reached", "unsupported_country_region_territory"),
  ],
  Azure: named("request", "content_filter", "ResponsibleAIPolicyViolation"),
  Anthropic: [
    ...worded("too_long", /prompt is too long/i),
    ...worded("account", /^Your credit balance is too low/, /^This organization has been disabled/),
    ...worded("account", /^You have reached your specified (\w{1,20} )?usage limits/),
    ...named("account", "billing_error", "permission_error"),
    ...named("key", "authentication_error"),
  ],
  Bedrock: [
    ...worded("too_long", /input is too long for/i),
    ...worded("account", /^The provided model identifier is invalid/, /^Invocation of model ID /),
    ...worded("account", /^(The model returned the following errors: )?invalid beta flag/),
    ...named("account", "AccessDeniedException", "ServiceQuotaExceededException"),
    ...named("account", "ResourceNotFoundException", "ConflictException"),
    ...named("key", "UnrecognizedClientException", "ExpiredTokenException", "InvalidSignatureException"),
  ],
  Vertex: [...named("account", "PERMISSION_DENIED"), ...named("key", "UNAUTHENTICATED")],
  Gemini: [
    ...worded("too_long", /maximum number of tokens/i),
    ...named("account", "FAILED_PRECONDITION"),
    ...named("key", "API_KEY_INVALID"),
  ],
  OpenRouter: [...named("request", "metadata.reasons"), ...worded("request", /^No endpoints found that support /)],
  // The same words are used of a rate that is reached.
  Mistral: worded("too_long", /too many (input )?tokens(?! for team|.{0,20}, please wait)/i),
  DeepSeek: [...worded("request", /^Content Exists Risk/), ...worded("account", /^Insufficient Balance/)],
  xAI: [
    ...worded("request", /^Content violates usage guidelines/),
    ...worded("too_long", /maximum prompt length|\[input_too_large\]/i),
    ...worded("account", /^Your team .{1,80} has either used all available credits/),
    // With the status of a bad request, and a refusal may quote a prompt that begins so. No words alone speak of a key: these are the whole
    // message, beside a name that no client writes.
    { about: "key", name: "Client specified an invalid argument", words: WRONG_KEY },
    { about: "key", name: "invalid-argument", words: WRONG_KEY },
    ...worded("account", /^Incorrect API key provided/),
  ],
  vLLM: worded("too_long", /longer than the maximum model length/i),
};

/** How providers call a request that is at fault itself, where the status says nothing else. Their own status, as a number, is another way. */
export const BAD_REQUEST_NAMES: ReadonlySet<string> = new Set([
  "invalid_request_error",
  "request_too_large",
  "BadRequestError",
  "Bad Request",
  "Client specified an invalid argument",
  "invalid-argument",
  "INVALID_ARGUMENT",
  "ValidationException",
]);
