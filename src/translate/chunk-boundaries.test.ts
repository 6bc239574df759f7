import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { framedConverse } from "../../tests/support/converse-event.ts";
import { cases } from "../../tests/support/cases.ts";
import { recordings } from "../../tests/support/recordings.ts";
import { PAIRS, relayAnswer, UNTOUCHED } from "../../tests/translation/relay-answer.ts";
import { encodeEvents, type Piece, scriptStream } from "../../tests/translation/script-stream.ts";

const pairs = [...PAIRS, ...UNTOUCHED];
/** Enough for every kind of event, and little enough to be cut into single bytes. */
const MOST_BYTES = 30_000;

type Cut = { kind: "ends"; ends: number[] } | { kind: "steps"; bytes: number };

const cut: fc.Arbitrary<Cut> = fc.oneof(
  fc.record({ kind: fc.constant("ends" as const), ends: fc.array(fc.nat(MOST_BYTES), { maxLength: 60 }) }),
  fc.record({ kind: fc.constant("steps" as const), bytes: fc.integer({ min: 1, max: 9 }) }),
);

function cutUp(bytes: Buffer, how: Cut): Buffer[] {
  const steps = (size: number): number[] =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => (at + 1) * size);
  const ends = how.kind === "steps" ? steps(how.bytes) : how.ends.toSorted((a, b) => a - b);
  const chunks: Buffer[] = [];
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    if (end <= from) continue;
    chunks.push(bytes.subarray(from, end));
    from = end;
  }
  return chunks;
}

/** Text of all widths, line ends of all kinds, and what looks like the frame around it. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).map((given) => given.toWellFormed()),
  fc.constantFrom("🎈", "é\r\n\r\n", "\u2028", "data: [DONE]\n\n", "event: error\n", "𠜎𠜎", "\r", "\n\n"),
);
const pieces: fc.Arbitrary<Piece[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("text" as const), text }),
    fc.record({ kind: fc.constant("call" as const), call: fc.nat(2), text }),
  ),
  { minLength: 1, maxLength: 12 },
);
const lineEnd = fc.constantFrom("\n", "\r\n");

const withLineEnds = (bytes: Buffer, end: string): Buffer => Buffer.from(bytes.toString().replaceAll("\n", end));

test.each(pairs)(
  "what a client of $client is given of a $provider provider's answer, $route, does not depend on how its bytes are cut",
  async (pair) => {
    await fc.assert(
      fc.asyncProperty(pieces, lineEnd, cut, async (said, end, how) => {
        const bytes = withLineEnds(encodeEvents(pair.provider, scriptStream(pair.provider, said)), end);

        const whole = await relayAnswer(pair, [bytes]);

        expect(whole.outcome).toBe("completed");
        expect(await relayAnswer(pair, cutUp(bytes, how))).toEqual(whole);
      }),
      { numRuns: cases({ gate: 15, long: 80 }) },
    );
  },
);

const recorded = pairs.flatMap((pair) =>
  recordings(pair.provider)
    .filter(({ name }) => !name.endsWith(".json"))
    .map((file) => ({ ...file, ...pair })),
);

/** A stream as it was sent, or the bytes that a provider would have sent for its data; a line may be broken JSON. */
function streamOf({ name, path, lines, provider }: (typeof recorded)[number]): Buffer {
  if (name.endsWith(".sse")) return readFileSync(path);
  if (provider === "converse") return Buffer.from(framedConverse(lines.map((line) => JSON.parse(line) as unknown)));
  const events = lines.map((line) => {
    const type = provider === "chat" || provider === "gemini" ? undefined : /"type": ?"([\w.]+)"/.exec(line)?.[1];
    return `${type === undefined ? "" : `event: ${type}\n`}data: ${line}\n\n`;
  });
  return Buffer.from(events.join("") + (provider === "chat" ? "data: [DONE]\n\n" : ""));
}

describe.skipIf(recorded.length === 0)("a recorded stream", () => {
  test.each(pairs)(
    "of a $provider provider, $route, reaches a client of $client the same however it is cut",
    async (pair) => {
      const files = recorded.filter(({ client, provider, route }) =>
        isDeepStrictEqual({ client, provider, route }, pair),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...files), cut, async (file, how) => {
          const bytes = streamOf(file).subarray(0, MOST_BYTES);

          expect(await relayAnswer(pair, cutUp(bytes, how))).toEqual(await relayAnswer(pair, [bytes]));
        }),
        { numRuns: cases({ gate: 10, long: 60 }) },
      );
    },
  );
});
