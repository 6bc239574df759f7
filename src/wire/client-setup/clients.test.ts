import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLIENT_SETUPS as CLIENTS } from "./clients.ts";
import type { ClientSetup, SetupConnection } from "./setup.ts";

const PAGE = join(import.meta.dirname, "../../../docs/reference/clients.md");
const CONNECTION: SetupConnection = {
  origin: "https://gate.example/token",
  model: "acme-large",
  key: "tgt_0071abcd…",
  limits: { context: 128_000, output: 4096 },
  sockets: null,
};

const textOf = ({ parts }: ClientSetup): string =>
  parts(CONNECTION)
    .map(({ text }) => text)
    .join("\n");

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

test.each(CLIENTS)("the settings of $name have the origin of the key and the model in them", (setup) => {
  const written = textOf(setup);

  expect(written).toContain("https://gate.example/token");
  expect(written).toContain("acme-large");
  expect(written).not.toContain("undefined");
});

test("a client of the Messages format gets the bare origin, and one of the others the one with /v1", () => {
  const originIn = (id: string): string =>
    CLIENTS.filter((client) => client.id === id)
      .map(textOf)
      .join("\n");

  expect(originIn("claude-code")).toContain("ANTHROPIC_BASE_URL=https://gate.example/token\n");
  expect(originIn("anthropic-python")).toContain('base_url="https://gate.example/token"');
  expect(originIn("openai-python")).toContain('base_url="https://gate.example/token/v1"');
});

test("ids are unique", () => {
  expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
});
