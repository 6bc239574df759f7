import { expect, test } from "vitest";
import { PAIRS, relayAnswer, UNTOUCHED } from "../../tests/translation/relay-answer.ts";
import { encodeEvents, scriptStream } from "../../tests/translation/script-stream.ts";
import type { ProviderDialect } from "../core/request/dialect.ts";

const LEAK = "gsk_a1B2c3 on gpu-07.internal.example.com";
const error = { message: LEAK, type: "server_error", code: LEAK };

/** How each format says amid a stream that it cannot go on. */
const FAILURES: Record<ProviderDialect, object[]> = {
  chat: [{ error }],
  responses: [
    { ...error, type: "error" },
    { type: "response.failed", response: { id: "resp_1", object: "response", status: "failed", error, output: [] } },
  ],
  messages: [{ type: "error", error }],
  gemini: [{ error: { ...error, status: "UNAVAILABLE" } }],
  converse: [{ __type: "ModelStreamErrorException", message: LEAK }],
};

const CASES = [...PAIRS, ...UNTOUCHED].flatMap((pair) =>
  FAILURES[pair.provider].map((failure) => ({ ...pair, failure })),
);

test.each(CASES)(
  "an error amid a $provider stream, $route for a $client caller, is told in our words alone [UPS-9]",
  async ({ failure, ...pair }) => {
    const begun = scriptStream(pair.provider, [{ kind: "text", text: "Hello" }]).slice(
      0,
      pair.provider === "gemini" ? 1 : pair.provider === "converse" ? 2 : 3,
    );
    const { text, outcome, failedBy } = await relayAnswer(pair, [encodeEvents(pair.provider, [...begun, failure])]);

    expect(outcome).toBe("upstream_failed");
    expect(text).toContain("The provider broke off.");
    expect(text).not.toMatch(/gsk_|gpu-07|internal/);
    // Whoever tells a refusal of the request from a failure reads it there.
    expect(failedBy).toContain(LEAK);
  },
);
