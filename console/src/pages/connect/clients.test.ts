import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLIENTS, type Connection } from "./clients.ts";

const PAGE = join(import.meta.dirname, "../../../../docs/reference/clients.md");
const CONNECTION: Connection = {
  origin: "https://gate.example/token",
  model: "acme-large",
  prefix: "tgt_0071abcd",
  limits: { context: 128_000, output: 4096 },
};

/** The first column of the table of what was tested, without its marks. */
const tested = readFileSync(PAGE, "utf8")
  .split("## Agents on")[0]
  ?.matchAll(/^\| (`.+?) \|/gm)
  .map(([, name = ""]) => name.replaceAll("`", ""))
  .toArray();

test("every client that was tested has its settings here, and no other is said to have been tested", () => {
  expect(tested?.length).toBeGreaterThan(10);
  expect(CLIENTS.flatMap(({ covers }) => covers).toSorted()).toEqual([...new Set(tested)].toSorted());
});

test.each(CLIENTS)("the settings of $name have the origin of the key and the model in them", ({ text }) => {
  const written = text(CONNECTION);

  expect(written).toContain("https://gate.example/token");
  expect(written).toContain("acme-large");
  expect(written).not.toContain("undefined");
});

test("a client of the Messages format gets the bare origin, and one of the others the one with /v1", () => {
  const originIn = (id: string): string => CLIENTS.find((client) => client.id === id)?.text(CONNECTION) ?? "";

  expect(originIn("claude-code")).toContain("ANTHROPIC_BASE_URL=https://gate.example/token\n");
  expect(originIn("anthropic-python")).toContain('base_url="https://gate.example/token"');
  expect(originIn("openai-python")).toContain('base_url="https://gate.example/token/v1"');
});

test("ids are unique", () => {
  expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
});
