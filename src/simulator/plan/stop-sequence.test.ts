import { expect, test } from "vitest";
import { wordContent } from "./content.ts";
import { metSequence } from "./stop-sequence.ts";

test("a text ends before the sequence that comes up first, and counts the tokens it took", () => {
  const met = metSequence(wordContent, 5, ["valley", "rbor oc", ""]);

  expect(met).toMatchObject({ sequence: "rbor oc", tokens: 2 });
  expect(met?.content.text(2)).toBe("amber ha");
});

test("a sequence the text begins with leaves nothing to say", () => {
  expect(metSequence(wordContent, 5, ["amber"])).toMatchObject({ sequence: "amber", tokens: 0 });
});

test("a text without any of the sequences is left alone", () => {
  expect(metSequence(wordContent, 2, ["ocean", "\n"])).toBeNull();
});
