import { expect, test } from "vitest";
import { PAIRS, relayAnswer, UNTOUCHED } from "../../tests/translation/relay-answer.ts";
import type { ProviderDialect } from "../core/request/dialect.ts";

/** How each format ends a stream, with nothing before it. */
const BARE_ENDS: Record<ProviderDialect, string[]> = {
  chat: [
    "data: [DONE]\n\n",
    ": waiting\n\ndata: [DONE]\n\n",
    'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0,"total_tokens":3}}\n\ndata: [DONE]\n\n',
  ],
  responses: ['event: response.completed\ndata: {"type":"response.completed"}\n\n', "data: [DONE]\n\n"],
  messages: [
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    'event: ping\ndata: {"type":"ping"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  gemini: ["", ": waiting\n\n"],
  converse: [
    "",
    'event: messageStart\ndata: {"role":"assistant"}\n\n',
    'event: messageStop\ndata: {"stopReason":"end_turn"}\n\n',
    'event: metadata\ndata: {"usage":{"inputTokens":3,"outputTokens":0,"totalTokens":3}}\n\n',
  ],
};

const CASES = [...PAIRS, ...UNTOUCHED].flatMap((pair) =>
  BARE_ENDS[pair.provider].map((stream) => ({ ...pair, stream })),
);

test.each(CASES)(
  "a $provider stream that ends before it says anything is no answer, $route for a $client client: $stream [UPS-8]",
  async ({ stream, ...pair }) => {
    const { outcome } = await relayAnswer(pair, [Buffer.from(stream)]);

    expect(outcome).toBe("upstream_failed");
  },
);
