import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../../../tests/support/run-command.ts";
import { textOf } from "../../../../tests/support/reconcile/stage.ts";
import { countsOf } from "../../../reconcile/journal/journal-of.ts";

const FOLDER = join(import.meta.dirname, "../../../../examples/reconcile");
const at = (name: string): string => join(FOLDER, name);
let own: string;
beforeAll(() => {
  own = mkdtempSync(join(tmpdir(), "tollgate-bills-"));
});
afterAll(() => rmSync(own, { recursive: true }));

const run = (...words: string[]) =>
  runCommand(["reconcile", ...words, "--day", "2026-11-16", "--journal", at("journal.csv")], { environment: {} });

test("bills that agree have exit code 0, and nothing but names is printed of them", async () => {
  const ran = await run(
    at("aws-cur2.csv"),
    at("azure-cost-details.csv"),
    "--map",
    at("names.yaml"),
    "--costs",
    at("costs.yaml"),
  );

  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toContain("2 findings: 2 agrees. Provisional: ");
  expect(ran.stdout).toContain("Not compared, since no export was given: openai, anthropic, vertex, openrouter");
});

test("a bill that differs has exit code 1, a table, and the reasons below it", async () => {
  const ran = await run(
    at("openai-usage-completions.json"),
    at("openai-costs.json"),
    "--map",
    at("names.yaml"),
    "--costs",
    at("costs.yaml"),
  );

  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(
    /^2026-11-16 +openai +gpt-5.6-terra +default +input +292000 +291000 +-1000 +- +boundary$/m,
  );
  expect(ran.stdout).toMatch(/^2026-11-16 +openai +gpt-5.6-terra +- +money +- +- +- +\+0.534 +missing-step$/m);
  expect(ran.stdout).toContain(
    "1 request above 272,000 (h02): input costs 2 times, output 1.5 times; the costs lack input_above: 272000.",
  );
});

test("a name that the map lacks has exit code 2, and the line to add", async () => {
  const map = join(own, "names.yaml");
  writeFileSync(map, textOf("names.yaml").replace("gpt-5.6-terra: gpt-5.6-terra", "other: other"));
  const ran = await run(at("openai-usage-completions.json"), "--map", map, "--json");

  expect(ran.code).toBe(2);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    exit_code: 2,
    findings: expect.arrayContaining([
      expect.objectContaining({ verdict: "unmapped", add: 'openai: { models: { "gpt-5.6-terra": UPSTREAM_MODEL } }' }),
    ]) as unknown,
  });
});

test("a file that cannot be compared has exit code 2, and one that is not there 1", async () => {
  expect(await run(at("names.yaml"), "--map", at("names.yaml"))).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("names.yaml: this is no export that is known") as string,
  });
  expect(await run(at("absent.csv"), "--map", at("names.yaml"))).toMatchObject({ code: 1 });
});

test("a map and costs are refused by the line that is wrong", async () => {
  const write = (name: string, text: string): string => {
    writeFileSync(join(own, name), text);
    return join(own, name);
  };
  const map = write("wrong.yaml", "aws:\n  names:\n    x: { model: m, kind: inputs }\n  modles: {}\n");
  const costs = write(
    "costs.yaml",
    "openai:\n  m:\n    input: '1'\n    when:\n      - { tier: flex, input: '1', output: '2' }\n",
  );
  const mapped = await run(at("aws-cur2.csv"), "--map", map);
  const priced = await run(at("aws-cur2.csv"), "--map", at("names.yaml"), "--costs", costs);

  expect(mapped.code).toBe(1);
  expect(mapped.stderr).toContain("The map of names has 2 problems");
  expect(mapped.stderr).toContain("Did you mean `models`?");
  expect(priced.code).toBe(1);
  expect(priced.stderr).toContain("openai.m.output: is required.");
});

test("a day that is none is refused", async () => {
  const ran = await runCommand(["reconcile", at("aws-cur2.csv"), "--map", at("names.yaml"), "--day", "2026-02-30"], {
    environment: {},
  });

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain("It must be a day such as 2026-11-16.");
});

test("shares of a charge are taken out of what they are shares of", () => {
  const counts = countsOf({
    inputTokens: 100,
    cacheReadTokens: 30,
    cacheWriteTokens: 20,
    cacheWrite1hTokens: 5,
    outputTokens: 50,
    reasoningTokens: 10,
    parts: { input_audio: 7, output_image: 4, cache_read_audio: 3 },
    toolCalls: { web_search: 2 },
  });

  expect(counts).toEqual({
    input: 43,
    input_audio: 7,
    cache_read: 27,
    cache_read_audio: 3,
    cache_write_5m: 15,
    cache_write_1h: 5,
    output: 36,
    output_image: 4,
    output_reasoning: 10,
    "tools.web_search": 2,
  });
});
