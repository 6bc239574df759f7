import fc from "fast-check";
import { expect, test } from "vitest";
import { loadCountTokens } from "./count-tokens.ts";
import { oddBytes, savedByCounting } from "./saved-by-counting.ts";

const count = await loadCountTokens();
const OTHER = { ours: false, tokenFactor: 1 };
const OURS = { ours: true, tokenFactor: 1 };
const PROSE =
  "The gateway sets aside what a request may cost before it starts, and gives back the rest when it ends. ".repeat(40);

test.each([
  ["common words", 0],
  ["three 123 digits", 4],
  ["blanks    run", 3],
  ["a == b", 3],
  ["กข", 6],
  ["tab\tnew\n", 2],
])("of %j so many bytes may be a token each: %i", (text, bytes) => {
  expect(oddBytes(text)).toBe(bytes);
});

test("prose needs less than half of its bytes where the vocabulary is another one, and a fourth where it is ours", async () => {
  const bytes = Buffer.byteLength(PROSE);
  const other = bytes - (await savedByCounting({ texts: [PROSE], json: [] }, OTHER, count));
  const ours = bytes - (await savedByCounting({ texts: [PROSE], json: [] }, OURS, count));

  expect(ours).toBeGreaterThanOrEqual(count(PROSE));
  expect(ours).toBeLessThan(bytes / 4);
  expect(other).toBeGreaterThan(ours * 1.5);
  expect(other).toBeLessThan(bytes / 2);
});

test("long words that are a token each in ours may be several in another", async () => {
  const words = " internationalization telecommunications responsibilities transformations".repeat(50);
  const left = Buffer.byteLength(words) - (await savedByCounting({ texts: [words], json: [] }, OTHER, count));

  expect(left).toBeGreaterThanOrEqual(2 * count(words));
});

test("the operator's word on a vocabulary raises what is left, and never lowers it", async () => {
  const left = async (tokenFactor: number) =>
    -(await savedByCounting({ texts: [PROSE], json: [] }, { ours: false, tokenFactor }, count));

  expect(await left(1.3)).toBeGreaterThan(await left(1));
  expect(await left(0.5)).toBe(await left(1));
});

test("whatever the texts are, what is left is no less than we count, no less than is odd, and no more than their bytes", async () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.string({ unit: "binary", maxLength: 400 }),
    fc
      .array(fc.constantFrom("word", " ", "  ", "\n", "123", "{", "ก", "é", "\u0000", "<|im_start|>"), {
        maxLength: 200,
      })
      .map((parts) => parts.join("")),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 4 }),
      fc.array(text, { maxLength: 4 }),
      fc.boolean(),
      async (texts, json, ours) => {
        const all = [...texts, ...json];
        const bytes = all.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
        const left = bytes - (await savedByCounting({ texts, json }, { ours, tokenFactor: 1 }, count));

        expect(left).toBeLessThanOrEqual(bytes);
        expect(left).toBeGreaterThanOrEqual(
          all.reduce((sum, one) => sum + Math.min(count(one), Buffer.byteLength(one)), 0),
        );
        const odd = [...(ours ? [] : texts), ...json].reduce((sum, one) => sum + oddBytes(one), 0);
        expect(left).toBeGreaterThanOrEqual(odd);
      },
    ),
    { numRuns: 2_000 },
  );
});
