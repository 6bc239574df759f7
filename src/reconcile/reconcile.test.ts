import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  DAY,
  exampleFile,
  EXPORTS,
  fileOf,
  reconcileExample,
  SECOND_EXPORTS,
  textOf,
} from "../../tests/support/reconcile/stage.ts";
import type { BillFinding } from "./finding.ts";
import { exitCodeOf } from "./reconcile.ts";

type Expected = {
  provider: string;
  model: string;
  tier?: string;
  kind: string;
  journal?: number;
  export?: number;
  difference_usd?: string;
  export_usd?: string;
  verdict: string;
};

const EXPECTED = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../tests/support/reconcile/expected.json"), "utf8"),
) as Expected[];

const asExpected = (
  finding: BillFinding,
  { tier, journal, export: exported, difference_usd, export_usd }: Expected,
): object => ({
  provider: finding.provider,
  model: finding.model,
  ...(tier === undefined ? {} : { tier: finding.tier }),
  kind: finding.kind,
  ...(journal === undefined ? {} : { journal: Number(finding.journal) }),
  ...(exported === undefined ? {} : { export: Number(finding.export) }),
  ...(difference_usd === undefined ? {} : { difference_usd: finding.differenceUsd }),
  ...(export_usd === undefined ? {} : { export_usd: finding.exportUsd }),
  verdict: finding.verdict,
});

const withoutWhy = (expected: Expected): object => {
  const { why: _, ...rest } = expected as Expected & { why?: string };
  return rest;
};

const lines = (findings: readonly BillFinding[]): string[] =>
  findings.map(({ provider, model, kind, verdict }) => [provider, model ?? "-", kind, verdict].join(" "));

test("a day of six providers' bills is found line for line, and nothing else is", async () => {
  const found = await reconcileExample();

  expect(found.findings.map((finding, at) => asExpected(finding, EXPECTED[at] as Expected))).toEqual(
    EXPECTED.map(withoutWhy),
  );
  expect(exitCodeOf(found)).toBe(2);
  expect(found.requests).toBe(14);
});

test("each line names the requests that are behind it", async () => {
  const { findings } = await reconcileExample();

  expect(findings.map(({ requests }) => requests.ids)).toEqual([
    ["h14"],
    ["h14"],
    ["h02"],
    ["h04", "h05", "h06"],
    ["h05"],
    ["h07", "h08"],
    [],
    ["h11"],
    ["h13"],
  ]);
});

test("a second export of the same day is compared with the first, and adds no lines where both say the same", async () => {
  const [one, both] = [
    await reconcileExample(),
    await reconcileExample({ exports: [...EXPORTS, ...SECOND_EXPORTS].map(exampleFile) }),
  ];

  expect(lines(both.findings)).toEqual(lines(one.findings));

  const other = textOf("openai-usage-dashboard.csv").replace("10000\r\n", "10001\r\n").replace("10000\n", "10001\n");
  const differs = await reconcileExample({ exports: [...EXPORTS.map(exampleFile), fileOf("dashboard.csv", other)] });

  expect(lines(differs.findings)).toContain("openai gpt-5.6-terra output exports-differ");
});

test("exports that agree have exit code 0, and with money as well", async () => {
  const exports = [exampleFile("aws-cur2.csv"), exampleFile("azure-cost-details.csv")];
  const found = await reconcileExample({ exports });

  expect(lines(found.findings)).toEqual([
    "bedrock us.anthropic.claude-opus-5 all agrees",
    "azure gpt-5.6-terra all agrees",
  ]);
  expect(exitCodeOf(found)).toBe(0);
  expect(found.withoutExport.toSorted()).toEqual(["anthropic", "openai", "openrouter", "vertex"]);
});

test.each([
  ["openai-usage-completions.json", ["openai gpt-5.6-terra input boundary", "openai gpt-5.6-terra output boundary"]],
  ["openai-usage-dashboard.csv", ["openai gpt-5.6-terra input boundary", "openai gpt-5.6-terra output boundary"]],
  [
    "openai-costs.json",
    [
      "openai gpt-5.6-terra input boundary",
      "openai gpt-5.6-terra output boundary",
      "openai gpt-5.6-terra money missing-step",
    ],
  ],
  [
    "anthropic-usage-report.json",
    ["anthropic claude-opus-5 input unrecorded", "anthropic claude-opus-5 output estimated+unrecorded"],
  ],
  [
    "anthropic-console-usage.csv",
    ["anthropic claude-opus-5 input unrecorded", "anthropic claude-opus-5 output estimated+unrecorded"],
  ],
  ["anthropic-cost-report.json", ["anthropic claude-opus-5 money money"]],
  ["aws-cur2.csv", ["bedrock us.anthropic.claude-opus-5 all agrees"]],
  ["aws-cost-explorer.json", ["bedrock us.anthropic.claude-opus-5 all agrees"]],
  ["gcp-billing-export.jsonl", ["vertex gemini-3.1-pro-preview storage unmapped"]],
  ["azure-cost-details.csv", ["azure gpt-5.6-terra all agrees"]],
  ["openrouter-activity.csv", ["openrouter deepseek/deepseek-v4.1-flash output estimated"]],
  ["openrouter-activity.json", ["openrouter deepseek/deepseek-v4.1-flash output unrecorded"]],
])("%s is recognised by its content and compared alone", async (name, expected) => {
  const found = await reconcileExample({ exports: [fileOf("download", textOf(name), 7)] });

  expect(lines(found.findings)).toEqual(expected);
});

test("money without costs, or without a cost price for its model, is not compared, and does not agree", async () => {
  const exports = [exampleFile("anthropic-cost-report.json")];
  const none = await reconcileExample({ exports, costs: null });
  const other = await reconcileExample({ exports, costs: textOf("costs.yaml").replace("claude-opus-5:", "another:") });

  expect(lines(none.findings)).toEqual(["anthropic claude-opus-5 all not-compared"]);
  expect(lines(other.findings)).toEqual(["anthropic claude-opus-5 all not-compared"]);
  expect(other.withoutCosts).toContain("anthropic claude-opus-5 (no cost price)");
  expect(exitCodeOf(none)).toBe(2);
});

test("one token in a million is found", async () => {
  const journal = [
    "at,hold_id,credential,provider,upstream_model,tier,region,kind,estimated,input_fresh,output",
    `${DAY}T10:00:00Z,h1,key_openai_1,openai,gpt-5.6-terra,default,any,completed,false,999999,7`,
    `${DAY}T11:00:00Z,h2,key_openai_1,openai,gpt-5.6-terra,default,any,completed,false,1,0`,
  ].join("\n");
  const usage = (input: number): string =>
    `start_time,end_time,model,api_key_id,service_tier,batch,num_model_requests,input_tokens,output_tokens\n1794787200,1794873600,gpt-5.6-terra,key_openai_1,default,False,2,${input},7\n`;
  const found = async (input: number): Promise<BillFinding[]> =>
    (await reconcileExample({ journal, exports: [fileOf("usage.csv", usage(input))], costs: null })).findings;

  expect(lines(await found(1_000_000))).toEqual(["openai gpt-5.6-terra all agrees"]);
  expect(await found(1_000_001)).toMatchObject([{ kind: "input", difference: "1", verdict: "unrecorded" }]);
  expect(await found(999_999)).toMatchObject([{ kind: "input", difference: "-1", verdict: "incomplete" }]);
});

test.each([
  [
    "credentials",
    "  credentials: # billing credential: provider of the catalogue, and the credential as the journal has it\n    key_openai_1: { provider: openai, credential: key_openai_1 }",
    "  provider: openai",
    "key_openai_1",
  ],
  ["models", "gpt-5.6-terra: gpt-5.6-terra", "gpt-9: gpt-9", "gpt-5.6-terra"],
  ["tiers", "    flex: flex\n", "", "flex"],
  ["regions", "  regions: { global: global }", "", "global"],
  ["names", "    USE1-Claude5Opus-output-tokens:", "    another:", "USE1-Claude5Opus-output-tokens"],
  ["provider", "  provider: anthropic # of lines that name no credential, as in the cost report", "", "anthropic"],
])("a map without one of its %s asks for it, and takes nothing for zero", async (field, present, instead, name) => {
  const whole = textOf("names.yaml");
  expect(whole).toContain(present);
  const { findings } = await reconcileExample({ names: whole.replace(present, instead) });

  const asked = findings.filter(({ add }) => add !== null);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.every(({ model, kind, verdict }) => model === name && kind === field && verdict === "unmapped")).toBe(
    true,
  );
  expect(asked[0]?.add).toContain(
    field === "provider" ? "anthropic: { provider" : `${field}: { ${JSON.stringify(name)}: `,
  );
  expect(findings.filter(({ verdict }) => verdict === "incomplete")).toEqual([]);
  expect(exitCodeOf({ findings })).toBe(2);
});

test("the line that is asked for, once it is in the map, answers the question", async () => {
  const without = textOf("names.yaml").replace("gpt-5.6-terra: gpt-5.6-terra", "");
  const { findings } = await reconcileExample({ names: without.replace("  models: # billed", "  # billed") });
  const add = findings.find((finding) => finding.add !== null)?.add;

  expect(add).toBe('openai: { models: { "gpt-5.6-terra": UPSTREAM_MODEL } }');
});

test("a name that the map ignores is counted and told, and is no difference", async () => {
  const names = textOf("names.yaml").replace(
    /Gemini 3.1 Pro Global Text Input Caching Storage:.*\n(?: +\{.*\n)?/,
    "Gemini 3.1 Pro Global Text Input Caching Storage: ignore\n",
  );
  const found = await reconcileExample({ names, exports: [exampleFile("gcp-billing-export.jsonl")] });

  expect(lines(found.findings)).toEqual(["vertex gemini-3.1-pro-preview all agrees"]);
  expect(found.leftOut).toEqual([
    { export: "gcp-billing-export.jsonl", why: "ignored by the map (gcp.names)", rows: 1 },
  ]);
  expect(exitCodeOf(found)).toBe(0);
});

test("a bill in another unit is told once, and compared in that unit", async () => {
  const names = textOf("names.yaml").replaceAll(", unit: 1K", "");
  const found = await reconcileExample({ names, exports: [exampleFile("aws-cost-explorer.json")] });

  expect(lines(found.findings)).toEqual(["bedrock - all unit", "bedrock us.anthropic.claude-opus-5 all agrees"]);
  expect(found.findings[0]?.why).toContain("1000");
});

test("a day that the provider may still change is provisional", async () => {
  const { provisional } = await reconcileExample({ nowMs: Date.parse("2026-11-18T12:00:00Z") });

  expect(provisional).toEqual([
    { provider: "openai", until: "2026-11-19" },
    { provider: "bedrock", until: "2026-11-20" },
    { provider: "vertex", until: "2026-11-20" },
    { provider: "azure", until: "2026-11-20" },
  ]);
});

test("an export that is not whole is told as missing coverage", async () => {
  const page = textOf("openai-usage-completions.json");
  const half = page.replace("1794873600", "1794830400");
  const found = async (text: string): Promise<BillFinding[]> =>
    (await reconcileExample({ exports: [fileOf("page.json", text)], costs: null })).findings.filter(
      ({ verdict }) => verdict === "not-covered",
    );

  expect(await found(page)).toEqual([]);
  expect((await found(page.replace('"has_more": false', '"has_more": true')))[0]?.why).toContain(
    "its last page is missing",
  );
  expect((await found(half))[0]?.why).toContain("from 12:00:00");
  expect((await found(page.replaceAll("17947872", "17946144").replaceAll("17948736", "17947008"))).length).toBe(1);
});

test("what the journal has and no export speaks of is not covered", async () => {
  const journal = textOf("journal.csv").replace(
    "default,any,completed,false,1000,0,0,0,50,0,0.0026",
    "default,any,completed,false,1000,0,0,0,50,3,0.0026",
  );
  const { findings } = await reconcileExample({
    journal,
    exports: [exampleFile("openai-usage-completions.json")],
    costs: null,
  });

  expect(findings.find(({ verdict }) => verdict === "not-covered")).toMatchObject({
    kind: "tools.web_search",
    journal: "3",
    requests: { count: 3 },
  });
});
