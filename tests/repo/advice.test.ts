import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const security = readFileSync(join(import.meta.dirname, "../../SECURITY.md"), "utf8").replaceAll(/\s+/g, " ");

test("key holders are told to keep keys on servers they trust, out of browser code and public repositories [AUT-21]", () => {
  const advice = security.split(/(?<=\.) /).filter((sentence) => /keys?\b/i.test(sentence));

  expect(
    advice.some((text) => /servers? you trust/.test(text) && /never in browser code or public repositories/.test(text)),
  ).toBe(true);
});
