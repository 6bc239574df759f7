/** What holds for every operation. Paragraphs, headings, lists and code, and no other Markdown: the page reads these alone. */
export const INTRODUCTION = `
A gateway in front of text-generation models. It speaks two formats and charges every request to the key that made it,
exactly.

## Keys

A key is sent as \`Authorization: Bearer <key>\`. Model list, messages and token counts also take it as \`x-api-key\`. Send
exactly one of the two. A key is a secret: keep it on servers, out of browsers and out of repositories.

Each key pays in one of two ways, and that decides the origin it must use. A credit key uses the bare origin; a
token-budget key uses the origin with \`/token\` before \`/v1\`. At the other origin a key is refused.

The examples take the key from the environment variable \`TOLLGATE_KEY\`. Put an id of your own model list in the place of
\`your-model\`.

## Money

Before a request starts, what it can cost is reserved; when it ends, what it did cost is charged and the rest is given
back. An answer without a limit of its own is given as much as the balance allows, and \`x-tollgate-max-tokens\` says how much
when that is less than the model gives. Whoever closes the connection pays for the input and for what was delivered until
then. A request that was answered with an error costs nothing.

Counts of cached tokens come from the provider, whose cache is shared: they can hint that somebody else sent the same
beginning of a prompt before.

## Retrying

- Send a stable \`Idempotency-Key\` with every POST you might repeat. Repeated with the same body it is answered and charged
  once.
- After a 429, wait as long as \`Retry-After\` says and try again one request at a time. \`limit_reached\` is the exception:
  it ends with the period.
- After a 5xx, try again with exponential backoff, a cap and jitter. Nothing was charged.
- Other 4xx need a correction first. \`x-should-retry\` says the same to clients that read it.
- Do not repeat a stream whose content has begun.

## Errors

Every response carries \`x-request-id\`, refusals also in their body. Refusals of chat completions, responses, models and
usage are in Format A, those of messages and token counts in Format B. An unknown path is 404 \`not_found\`, a wrong method
405 \`method_not_allowed\`. Once a stream has begun, a failure is an event in it.
`.trim();
