import { expect, test } from "vitest";
import { keyName } from "./key-text.ts";

test("a key is named by its prefix and label, and a label cannot write lines of its own", () => {
  expect(keyName({ prefix: "tgc_a034Fq4J", label: null })).toBe("tgc_a034Fq4J…");
  expect(keyName({ prefix: "tgc_a034Fq4J", label: "Anna\n\u001B[2J" })).toBe("tgc_a034Fq4J… (Anna��[2J)");
});
