import { FAULT_CODES, type FaultCode } from "../src/core/fault.ts";
import { PARSED_TEXTS } from "../src/core/request/parsed-texts.ts";
import { REFUSAL_WORDS } from "../src/wire/errors/refusal-words.ts";
import { type Format, renderExample } from "../build/openapi/refusals.ts";
import { RETRY_ADVICE } from "../src/wire/errors/retry-advice.ts";

/** docs/reference/errors.md: every error that a client can get, with cause, fix and example. */
export function errorsPage(generated: string): string {
  return [
    "# Errors",
    "",
    "For key holders who got an error from the API and want its cause and its fix.",
    "",
    generated,
    "",
    "The code is in `error.code`, in both formats. Chat completions, responses, models and usage are OpenAI-compatible (Format A);",
    "messages and count_tokens are Anthropic-compatible (Format B). The examples show the body of each.",
    "",
    "- Give the operator the request id. It is in the body and in the header `x-request-id`.",
    "- Where the table says that you may retry, SDKs retry by themselves. The gateway sends `x-should-retry: false` with the others.",
    "- After the first content of a stream, the error arrives as the last event of the stream and the status stays 200.",
    "- Bytes that are not an HTTP request get 400, 408 or 431 with a Format A body and the code `invalid_request`.",
    "",
    "Operators find what to check on their side in [failure modes](../operate/failure-modes.md).",
    "",
    "| Code | Format A | Format B | Retry |",
    "|---|---|---|---|",
    ...FAULT_CODES.map(
      (code) => `| [\`${code}\`](#${code}) | ${statusOf("A", code)} | ${statusOf("B", code)} | ${retryOf(code)} |`,
    ),
    "",
    ...FAULT_CODES.flatMap(section),
    "## Texts that clients parse",
    "",
    "Some clients read these texts out of `error.message`. They do not change; every other message may.",
    "",
    "| Text | Client | What the client does |",
    "|---|---|---|",
    ...PARSED_TEXTS.map(({ text, client, reaction }) => `| \`${text}\` | ${client} | ${reaction} |`),
    "",
  ].join("\n");
}

function section(code: FaultCode): string[] {
  const { cause, fix } = REFUSAL_WORDS[code];
  return [
    `## \`${code}\``,
    "",
    `**Cause:** ${cause}`,
    "",
    `**Fix:** ${fix}`,
    "",
    `Retry: ${retryOf(code)}.`,
    "",
    ...example("A", code),
    ...example("B", code),
  ];
}

function example(format: Format, code: FaultCode): string[] {
  const body = JSON.stringify(renderExample(format, code).body, null, 2);
  return [`Format ${format}, ${statusOf(format, code)}:`, "", "```json", body, "```", ""];
}

function statusOf(format: Format, code: FaultCode): string {
  const { status, body } = renderExample(format, code);
  const renamed = body.error.code === code ? "" : `, code \`${body.error.code}\``;
  return `${status} \`${body.error.type}\`${renamed}`;
}

function retryOf(code: FaultCode): string {
  if (RETRY_ADVICE[code] === "stop") return "no";
  return "retry-after" in renderExample("A", code).headers ? "yes, after `Retry-After`" : "yes, with backoff";
}
