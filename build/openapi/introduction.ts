/** What holds for every operation. Paragraphs, headings, lists and code, and no other Markdown: the page reads these alone. */
export const INTRODUCTION = `
Tollgate is a gateway in front of text-generation models. It serves an OpenAI-compatible API (Format A: chat completions and
responses) and an Anthropic-compatible API (Format B: messages). Every request is charged to the API key that made it.

This is version 1.0.0 of the interface. Releases of Tollgate have their own version numbers.

## API keys

Send your key as \`Authorization: Bearer <key>\`. The model endpoints, messages and token counts also accept it as
\`x-api-key\`. Send exactly one of the two headers. A key is a secret: keep it on servers, out of browsers and out of
repositories.

A key pays with prepaid credits or from a token budget, and that decides its base URL. Credit keys use the base URL as it is.
Token-budget keys add \`/token\` before \`/v1\`. A key used at the other base URL gets 401.

The examples read the key from the environment variable \`TOLLGATE_KEY\`. Replace \`your-model\` and \`your-embedding-model\` with ids from your model list.

## Charges

Before a request starts, the gateway reserves the most it can cost. When the request ends, it charges the actual cost and
releases the rest.

- A request that ends with an error status costs nothing.
- If you disconnect from a stream, you pay for the input and the output delivered so far. If the model reasons without showing
  it, an estimate of those tokens is added.
- If you set no output limit, the available balance can lower it. \`x-tollgate-max-tokens\` then reports the limit in force.
- Counts of cached tokens come from the provider, whose cache is shared. They can hint that another customer sent the same
  beginning of a prompt before.

## Retries

- Send an \`Idempotency-Key\` with every POST that you might repeat. Repeat the request with the same key and body: you get the
  stored response and are charged once.
- After a 429, wait for the number of seconds in \`Retry-After\`, then retry one request at a time. For \`limit_reached\` that
  is the time until the limit renews, at most a day; \`x-tollgate-renews-at\` has the exact time.
- After a 5xx, retry with capped exponential backoff and jitter. You were not charged.
- After any other 4xx, correct the request first. The header \`x-should-retry\` tells client libraries the same.
- Do not retry a stream after its content has started.

## Errors

Every response carries \`x-request-id\`; an error repeats it in its body. Quote it when you ask for help. Chat completions,
responses, models and usage return errors in the OpenAI-compatible format, messages and token counts in the
Anthropic-compatible format. An unknown path returns 404 \`not_found\`, a wrong method 405 \`method_not_allowed\`. If a stream
fails after it has started, the error is an event in the stream.
`.trim();
