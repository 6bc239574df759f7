import { join } from "node:path";
import { expect, test } from "vitest";
import { gatherSentences, inCode, inMarkdown, sample } from "../../scripts/readable.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The page that tells contributors which words to avoid has to name them. */
const sentences = gatherSentences(ROOT).filter(({ place }) => !place.startsWith("CONTRIBUTING.md"));

/** Phrases that are never right in a text that users read, with what to write instead. Each is wrong in every context. */
const REJECTED: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bh[au]ngs? up\b/i, "disconnects"],
  [/\bthe house\b|\bhouse (?:bears|cap)\b/i, "the operator (absorbs the cost)"],
  [/\bholds? (?:\S+ ){1,4}against (?:it|them|the)\b/i, "compares … with"],
  [/\bfolds? the journal\b/i, "recomputes … from the journal"],
  [/\bthis once\b(?!,)/i, "Save this secret now; it won't be shown again."],
  [/\bwhoever\b/i, "a role, such as “the operator”, or the passive"],
  [/\bnobody\b|\bsomebody\b/i, "a role, or the passive"],
  [/\blate calls\b/i, "recent calls"],
  [/\bthe books\b/i, "the ledger"],
  [/\bstray servers?\b|\bline of servers\b/i, "refused server, server history"],
  [/\bcallers? (?:hears?|is told|are told)\b/i, "clients get"],
  [/\bhears? (?:that|of|nothing)\b/i, "receives, gets"],
  [/\bmade anew\b/i, "recreated"],
  [/\bpaid in\b(?! full)/i, "funded"],
  [/\bclock of durations\b/i, "monotonic time"],
  [/\bwhich of the last two\b/i, "name both"],
  [/\bmake the catalogue so\b/i, "writes the changes"],
  [/\bgo(?:es)? without a word\b|, without a word\b/i, "without an error message"],
  [/\b(?:is|are|has|have) no word for\b/i, "does not support"],
  [/\bnpx (?:-\S+ \S+ )*-p tollgate\b/i, "a command that works from a clone or a packed file"],
];

test("nothing that users read has a phrase we decided against", () => {
  const found = sentences.flatMap(({ place, text }) =>
    REJECTED.flatMap(([phrase, instead]) => {
      const [words] = phrase.exec(text) ?? [];
      return words === undefined ? [] : [`${place}: “${words}” in “${text}”. Write: ${instead}`];
    }),
  );

  expect(sentences.length).toBeGreaterThan(3_000);
  expect(found).toEqual([]);
});

test("sentences come from pages without their code, from descriptions, and from texts in the code", () => {
  const page =
    "# A title of four words\n\nOne sentence has words. Another has\nwords, too.\n\n```sh\nnot one of them\n```\n\n| a cell with four words | few |\n";

  expect(inMarkdown("page.md", page)).toEqual([
    { place: "page.md:1", text: "A title of four words" },
    { place: "page.md:3", text: "One sentence has words." },
    { place: "page.md:3", text: "Another has words, too." },
    { place: "page.md:10", text: "a cell with four words" },
  ]);
  expect(inCode("a.ts", 'import "not one of them";\nthrow new Error(`${1} is more than it can take`);')).toEqual([
    { place: "a.ts:2", text: "… is more than it can take" },
  ]);
  expect(sentences.some(({ place }) => place.startsWith("docs/reference/openapi.json"))).toBe(true);
});

test("a sample is the same for the same seed, and no sentence comes twice", () => {
  const drawn = sample(sentences, { count: 200, seed: 7 });

  expect(drawn).toEqual(sample(sentences, { count: 200, seed: 7 }));
  expect(drawn).not.toEqual(sample(sentences, { count: 200, seed: 8 }));
  expect(new Set(drawn).size).toBe(200);
});
