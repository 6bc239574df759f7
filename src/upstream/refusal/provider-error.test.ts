import { describe, expect, test } from "vitest";
import { providerFault, readRefused } from "./provider-error.ts";
import { processorMs } from "../../../tests/support/processor-time.ts";

const fault = (status: number, body: unknown) =>
  providerFault(
    readRefused({ status, headers: {} }, Buffer.from(typeof body === "string" ? body : JSON.stringify(body))),
    { provider: "east" },
  );
const EXTRA = { type: "extra_forbidden", loc: ["body", "logit_bias"], msg: "Extra inputs are not permitted" };
const invalid = (message: string, code: string | null = null) => ({
  error: { type: "invalid_request_error", message, code },
});

describe("what a provider's refusal means to the caller [interface decision 31] [LIM-7] [UPS-3] [UPS-5] [UPS-6] [UPS-7]", () => {
  test.each<[status: number, body: unknown, code: string]>([
    [401, invalid("Incorrect API key provided"), "provider_unavailable"],
    [403, invalid("Country not supported"), "provider_unavailable"],
    [429, invalid("Rate limit reached"), "provider_unavailable"],
    [503, "overloaded", "provider_unavailable"],
    [529, { error: { type: "overloaded_error", message: "Overloaded" } }, "provider_unavailable"],
    [400, invalid("temperature must be at most 2"), "invalid_request"],
    [422, invalid("tools.0 is not valid"), "invalid_request"],
    [400, invalid("…", "context_length_exceeded"), "context_length_exceeded"],
    [400, invalid("This model's maximum context length is 8192 tokens."), "context_length_exceeded"],
    [400, invalid("prompt is too long: 200001 tokens > 200000 maximum"), "context_length_exceeded"],
    [413, invalid("Too many input tokens"), "context_length_exceeded"],
    [400, invalid("input length and `max_tokens` exceed context limit: 1 + 2 > 2"), "context_length_exceeded"],
    [413, { type: "error", error: { type: "request_too_large", message: "Too large" } }, "invalid_request"],
    [400, { error: { message: "n must be 1", type: "BadRequestError", code: 400 } }, "invalid_request"],
    [
      400,
      { error: { message: "However, the model's context length is only 1024 tokens", type: "BadRequestError" } },
      "context_length_exceeded",
    ],
    [
      400,
      { object: "error", message: "This model's maximum context length is 4096 tokens.", type: "BadRequestError" },
      "context_length_exceeded",
    ],
    [400, { code: "Client specified an invalid argument", error: "It does not support stop." }, "invalid_request"],
    [400, { error: { code: 400, message: "Multiple candidates", status: "INVALID_ARGUMENT" } }, "invalid_request"],
    [400, { error: { code: 400, message: "No such location", status: "FAILED_PRECONDITION" } }, "provider_unavailable"],
    [
      400,
      {
        error: {
          message: "The input token count (9) exceeds the maximum number of tokens allowed (8).",
          status: "INVALID_ARGUMENT",
        },
      },
      "context_length_exceeded",
    ],
    [422, { object: "error", message: { detail: [EXTRA] }, type: "invalid_request_error" }, "invalid_request"],
    [422, { detail: [EXTRA] }, "invalid_request"],
    [422, { detail: "Not Found" }, "upstream_error"],
    [422, { detail: [{}, 7, null] }, "upstream_error"],
    [400, { message: "Something else", type: "server_error" }, "upstream_error"],
    [400, { code: "Unauthenticated", error: "no" }, "upstream_error"],
    [400, "<html>Bad Request</html>", "upstream_error"],
    [400, { error: "a string" }, "upstream_error"],
    [400, { error: { type: "billing_error", message: "no money" } }, "provider_unavailable"],
    [400, invalid(""), "upstream_error"],
    [400, "null", "upstream_error"],
    [400, { error: { type: "invalid_request_error", message: 7 } }, "upstream_error"],
    [404, invalid("The model does not exist"), "upstream_error"],
    [302, "", "upstream_error"],
    [500, { error: { type: "server_error", message: "oops" } }, "upstream_error"],
  ])("%i %j is %s", (status, body, code) => {
    expect(fault(status, body).code).toBe(code);
  });
});

test("our accounts, keys and addresses are scrubbed from what is passed on [UPS-9]", () => {
  const secrets = [
    "sk-proj-abc123DEF-456_x",
    "sk-…",
    "org-AbC123",
    "proj_9z",
    "acct_1J",
    "req_011CS",
    "ops@example.com",
    "https://platform.example.com/account/api-keys?x=1",
    "Bearer abcdef",
    "10.1.2.3",
  ];
  const { message } = fault(400, invalid(`Refused for ${secrets.join(" and ")} today.`));

  for (const secret of secrets.filter((text) => text !== "sk-…")) expect(message).not.toContain(secret);
  expect(message).toMatch(/^The provider rejected the request: Refused for .* today\.$/);
});

test("a list of what is wrong is told as places and words, a few of them", () => {
  const detail = Array.from({ length: 50 }, (_, index) => ({ ...EXTRA, loc: ["body", "messages", index] }));

  expect(fault(422, { detail: [EXTRA] }).message).toBe(
    "The provider rejected the request: body.logit_bias: Extra inputs are not permitted",
  );
  expect(fault(422, { detail }).message.match(/messages\.\d+/g)).toHaveLength(5);
});

test("a provider's words are cut to a length a person reads", () => {
  expect(fault(400, invalid("x".repeat(10_000))).message.length).toBeLessThan(600);
});

test("other errors carry nothing of the provider's words", () => {
  for (const status of [401, 403, 404, 429, 500, 503]) {
    expect(fault(status, invalid("secret words")).message).not.toContain("secret words");
  }
});

test("a provider's words take no time to speak of to scrub, however they are made", () => {
  for (const unit of ["a-", "a.", "a@", "a@a", "Bearer ", "1.1"]) {
    const message = unit.repeat(65_000 / unit.length);
    const body = Buffer.from(JSON.stringify({ error: { type: "invalid_request_error", message } }));

    expect(
      processorMs(() => providerFault(readRefused({ status: 400, headers: {} }, body), { provider: "east" })),
      unit,
    ).toBeLessThan(500);
  }
});
