/** Holds for every operation. Only paragraphs, headings, lists and code: the page renders no other Markdown. */
export const ADMIN_INTRODUCTION = `
For operators: manage keys and balances, verify the ledger, set up providers, models and prices, and read health and metrics.
The admin API has its own listener, by default on \`127.0.0.1:8081\`. The \`tollgate\` command can do the same.

## Credentials

Send the automation token (\`admin.token\`) or a personal token as \`Authorization: Bearer <token>\`. The automation token allows
every operation on this page, so protect it like a root password. A personal token allows what its person may do now. Browsers
send the cookie of a session; a change also needs an \`Origin\` header that is the address of this listener.
\`x-tollgate-roles\` says which roles may do an operation, and \`x-tollgate-leads\` whether a role for some accounts is enough.
\`/livez\` and \`/readyz\` need no credential. A second token, \`admin.metrics_token\`, reads metrics and nothing else.

The examples read the address of the listener from \`TOLLGATE_ADMIN_URL\`, such as \`http://127.0.0.1:8081\`, and the token
from \`TOLLGATE_ADMIN_TOKEN\`.

## Amounts and times

An amount is a decimal in a string, such as \`"12.50"\`, because a JSON number would lose digits. Times are ISO 8601 in UTC.

## Lists

Long lists are paginated: \`{ "data": […], "next": "…" }\`. Pass \`next\` as \`after\` to get the next page; it is null on the
last page. \`limit\` sets the number of rows per page.

## Retries

- Operations that add credit or set a budget take a \`reference\`. A repeat with the same reference changes nothing, so retry
  until you get a response.
- After a 503, retry after \`Retry-After\` seconds.
- A 409 means that the current state does not allow the change. Retry only after that state has changed.

## Errors

Every response has an \`x-request-id\` header, and error bodies repeat it; the log has the same id. A request body with an
unknown field returns 400, so a misspelt field is never ignored.
`.trim();
