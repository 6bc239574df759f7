import { expect, test } from "vitest";
import { PARSED_TEXTS, tryAgainIn } from "./parsed-texts.ts";

test("texts that clients parse have not changed [BOD-6]", () => {
  expect(PARSED_TEXTS.map(({ text, client }) => [text, client])).toEqual([
    ["Please try again in 41s.", "Codex 0.166.0"],
    ["messages.1.role: Input should be 'user' or 'assistant'", "Claude Code 2.1.325"],
  ]);
});

test.each(PARSED_TEXTS.map((row) => [row.client, row] as const))("%s finds its pattern in the text", (_, row) => {
  expect(row.text).toMatch(row.pattern);
});

test("the wait that Codex reads is the wait that was written", () => {
  const [codex] = PARSED_TEXTS;
  expect(codex?.pattern.exec(tryAgainIn(7))?.slice(1)).toEqual(["7", "s"]);
});
