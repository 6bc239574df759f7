/** What holds for every operation. Paragraphs, headings, lists and code, and no other Markdown: the page reads these alone. */
export const ADMIN_INTRODUCTION = `
For operators: keys and their money, the books, providers, models and prices, health and metrics. The admin API has a
listener of its own, on \`127.0.0.1:8081\` unless the settings say otherwise. The command \`tollgate\` can do the same.

## Admin token

Send the admin token as \`Authorization: Bearer <token>\`. It can do everything that is described here, so keep it like a root
password. \`/livez\` and \`/readyz\` need none.

The examples take the address of the listener from \`TOLLGATE_ADMIN_URL\`, such as \`http://127.0.0.1:8081\`, and the token from
\`TOLLGATE_ADMIN_TOKEN\`.

## Amounts and times

An amount is a decimal in a string, such as \`"12.50"\`, because a JSON number would lose digits. Times are ISO 8601 in UTC.

## Lists

A list that can grow comes in pages: \`{ "data": […], "next": "…" }\`. Send \`next\` as \`after\` to get the page that follows; it
is null on the last one. \`limit\` sets how many rows a page has.

## Retrying

- Operations that move money take a \`reference\`. Repeated under the same reference they change nothing, so repeat them until
  you get an answer.
- After a 503, wait as long as \`Retry-After\` says and try again.
- A 409 means that the current state rules the change out. Trying again helps only after that state has changed.

## Errors

Every response carries \`x-request-id\`, refusals also in their body; the log has the same id. A body with fields that are not
described here is refused with 400, so that a misspelt field never goes unnoticed.
`.trim();
