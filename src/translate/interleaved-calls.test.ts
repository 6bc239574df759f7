import fc from "fast-check";
import { expect, test } from "vitest";
import { readStrictly } from "../../tests/translation/read-strictly.ts";
import { PAIRS, relayAnswer } from "../../tests/translation/relay-answer.ts";
import { encodeEvents, type Piece, scripted, scriptStream } from "../../tests/translation/script-stream.ts";

const text = fc.string({ unit: "binary", maxLength: 6 }).map((given) => given.toWellFormed());
const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("call" as const), call: fc.nat(5), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("text" as const), text }) },
);

/** Between two of the same format blocks are left as their provider wrote them, and that one never writes two at once. */
const pairs = PAIRS.filter(({ client, provider }) => client !== "messages" || provider !== "messages");

test.each(pairs)(
  "calls that a $provider provider writes in turns reach a client of $client apart, each once, whole and under its own id",
  async (pair) => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 40 }), async (pieces) => {
        const bytes = encodeEvents(pair.provider, scriptStream(pair.provider, pieces));

        const { text: stream, outcome, usage } = await relayAnswer(pair, [bytes]);
        const read = readStrictly(pair.client, stream);

        const said = scripted(pieces, pair.provider);
        expect(outcome).toBe("completed");
        expect({ text: read.text, calls: read.calls }).toEqual(said);
        expect(usage).toMatchObject({
          inputTokens: 7,
          outputTokens: 9,
          cacheReadTokens: 3,
          cacheWriteTokens: pair.provider === "gemini" ? 0 : 4,
          reasoningTokens: pair.provider === "converse" ? 0 : 3,
        });
      }),
      { numRuns: 60 },
    );
  },
);
