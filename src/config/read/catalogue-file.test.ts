import { expect, test } from "vitest";
import { readCatalogueFile } from "./catalogue-file.ts";
import { ConfigError } from "../config-error.ts";

const NO_MEDIA = {
  inputAudioNano: null,
  inputImageNano: null,
  inputVideoNano: null,
  cacheReadAudioNano: null,
  outputAudioNano: null,
  outputImageNano: null,
};

const YAML = `
providers:
  - name: east
    base_url: https://east.example/v1/
    credential: env:EAST_KEY
models:
  - id: large
    provider: east
    max_output_tokens: 8192
    price: { input: "2.50", output: 10, cache_read: "0.000000001" }
    routes:
      - provider: east
        upstream_model: large-2026
        format: chat
`;

const ROUTE = "{ provider: east, upstream_model: large-2026, format: chat }";

const problemsOf = (text: string): string[] => {
  try {
    readCatalogueFile(text, "catalogue.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path ?? ""}: ${message}`);
    throw error;
  }
  return [];
};

test("a description becomes providers, models, exact prices and routes with their defaults", () => {
  const { providers, models } = readCatalogueFile(YAML, "catalogue.yaml");

  expect(providers).toEqual([
    {
      name: "east",
      baseUrl: "https://east.example/v1",
      credentialRef: "env:EAST_KEY",
      unknownMembers: null,
      openMembers: null,
      windowCheck: null,
      traceparent: null,
      platform: null,
    },
  ]);
  expect(models[0]).toMatchObject({ id: "large", ownedBy: "east", contextWindow: null, maxOutputTokens: 8_192 });
  expect(models[0]).toMatchObject({ outputCeiling: null, outputFloor: 1_024, tokenFactor: 1 });
  expect(models[0]).toMatchObject({ upcomingPrices: [] });
  expect(models[0]?.price).toEqual({
    effectiveFromMs: null,
    inputNano: 2_500_000_000n,
    outputNano: 10_000_000_000n,
    ...NO_MEDIA,
    outputReasoningNano: null,
    cacheReadNano: 1n,
    cacheWrite5mNano: null,
    cacheWrite1hNano: null,
    toolCallNano: {},
  });
  expect(models[0]?.routes[0]).toMatchObject({ conformant: false, priority: 0, weight: 1, firstByteTimeoutMs: 60_000 });
});

test("a model without a published limit can be given the operator's own, with its floor and its tokenizer's factor", () => {
  const limits = "output_ceiling: 4096\n    output_floor: 256\n    token_factor: 1.15";
  const { models } = readCatalogueFile(YAML.replace("max_output_tokens: 8192", limits), "catalogue.yaml");

  expect(models[0]).toMatchObject({
    maxOutputTokens: null,
    outputCeiling: 4_096,
    outputFloor: 256,
    tokenFactor: 1.15,
  });
});

const SCHEDULED = YAML.replace(
  "    routes:",
  `    upcoming_prices:
      - { input: 1.5, output: 10, tools: { web_search: "0.01" }, effective_from: 2027-01-31 }
      - { input: 1, output: 10, effective_from: "2027-03-01T01:30:00+01:30" }
    routes:`,
);

test("prices can follow each other by date, with tools per call; a date alone is its midnight in UTC", () => {
  const [model] = readCatalogueFile(SCHEDULED, "catalogue.yaml").models;

  expect(model?.price).toMatchObject({ inputNano: 2_500_000_000n, toolCallNano: {}, effectiveFromMs: null });
  expect(model?.upcomingPrices).toMatchObject([
    { toolCallNano: { web_search: 10_000_000n }, effectiveFromMs: Date.parse("2027-01-31T00:00:00Z") },
    { toolCallNano: {}, effectiveFromMs: Date.parse("2027-03-01T00:00:00Z") },
  ]);
});

test.each<[what: string, from: string, to: string, path: string]>([
  ["a date in words", "2027-01-31", "soon", "models[0] (large).upcoming_prices[0].effective_from"],
  ["a day that does not exist", "2027-01-31", "2027-02-30", "models[0] (large).upcoming_prices[0].effective_from"],
  [
    "a time without its offset",
    "2027-01-31",
    "2027-01-31T12:00:00",
    "models[0] (large).upcoming_prices[0].effective_from",
  ],
  ["one date written in two ways", "2027-01-31", "2027-03-01", "models[0] (large).upcoming_prices"],
  ["no date", ", effective_from: 2027-01-31", "", "models[0] (large).upcoming_prices[0].effective_from"],
  ["a tool with a price in words", '"0.01"', "free", "models[0] (large).upcoming_prices[0].tools.web_search"],
])("in prices to come, %s is a problem with its path", (_what, from, to, path) => {
  expect(SCHEDULED).toContain(from);

  expect(problemsOf(SCHEDULED.replace(from, to)).map((problem) => problem.split(": ")[0])).toEqual([path]);
});

test("JSON is read as well, and an empty description describes nothing", () => {
  expect(readCatalogueFile('{"providers":[],"models":[]}', "c.json")).toEqual({ providers: [], models: [] });
  expect(readCatalogueFile("{}", "c.json")).toEqual({ providers: [], models: [] });
});

test.each<[what: string, from: string, to: string, path: string]>([
  ["a misspelt field", "max_output_tokens", "max_ouput_tokens", "models[0] (large).max_ouput_tokens"],
  ["a credential written out", "env:EAST_KEY", "sk-secret", "providers[0] (east).credential"],
  ["a relative credential file", "env:EAST_KEY", "file:secret.txt", "providers[0] (east).credential"],
  ["an address of another scheme", "https://east", "ftp://east", "providers[0] (east).base_url"],
  ["a price with a sign", '"2.50"', '"-1"', "models[0] (large).price.input"],
  ["a price finer than a nano-credit", '"2.50"', '"0.0000000001"', "models[0] (large).price.input"],
  ["a price in words", '"2.50"', "cheap", "models[0] (large).price.input"],
  ["a provider by the name of all of them", "name: east", "name: all", "providers[0] (all).name"],
  ["an address with a password", "https://east", "https://me:secret@east", "providers[0] (east).base_url"],
  ["an address with a query", "example/v1/", "example/v1/?key=secret", "providers[0] (east).base_url"],
  ["a model given twice", "models:", `models:\n  - { id: large, provider: east, routes: [${ROUTE}] }`, "models"],
  ["a route given twice", "routes:", `routes:\n      - ${ROUTE}`, "models[0] (large).routes"],
  [
    "a weight no column holds",
    "format: chat",
    "format: chat\n        weight: 3000000000",
    "models[0] (large).routes[0].weight",
  ],
  [
    "a capability of half a character",
    "8192",
    '8192\n    capabilities: { x: "\\ud800" }',
    "models[0] (large).capabilities",
  ],
  ["an unknown format", "format: chat", "format: smoke", "models[0] (large).routes[0].format"],
  ["a format that is not spoken yet", "format: chat", "format: bedrock", "models[0] (large).routes[0].format"],
  ["a limit of nothing", "8192", "0", "models[0] (large).max_output_tokens"],
  ["a limit no column holds", "8192", "3000000000", "models[0] (large).max_output_tokens"],
  ["a ceiling beside a published limit", "8192", "8192\n    output_ceiling: 100", "models[0] (large).output_ceiling"],
  ["a floor of nothing", "8192", "8192\n    output_floor: 0", "models[0] (large).output_floor"],
  ["a factor of nothing", "8192", "8192\n    token_factor: 0", "models[0] (large).token_factor"],
])("%s is a problem with its path", (_what, from, to, path) => {
  expect(YAML).toContain(from);
  expect(problemsOf(YAML.replace(from, to)).map((problem) => problem.split(": ")[0])).toEqual([path]);
});

test("a provider may be sent only what certainly fits, and there is no other word for it [LIM-12]", () => {
  const said = (what: string): string => YAML.replace("env:EAST_KEY", `env:EAST_KEY\n    context_window: ${what}`);

  expect(readCatalogueFile(said("strict"), "catalogue.yaml").providers[0]).toMatchObject({ windowCheck: "strict" });
  expect(problemsOf(said("tight"))[0]).toMatch(/^providers\[0\] \(east\)\.context_window: /);
});

test("a provider may say which cloud it is called as, and no other words pass", () => {
  const said = (what: string): string => YAML.replace("env:EAST_KEY", `env:EAST_KEY\n    platform: ${what}`);

  expect(readCatalogueFile(said("azure:2024-10-21"), "catalogue.yaml").providers[0]).toMatchObject({
    platform: "azure:2024-10-21",
  });
  for (const what of ["azure:latest", "aws", '""'])
    expect(problemsOf(said(what))[0]).toMatch(/^providers\[0\] \(east\)\.platform: /);
});

test("all problems are listed at once, and no credential is repeated in them", () => {
  const problems = problemsOf(YAML.replace("env:EAST_KEY", "sk-secret").replace("chat", "smoke").replace("8192", "-1"));

  expect(problems).toHaveLength(3);
  expect(problems.join()).not.toContain("sk-secret");
});

test.each([
  ["a key given twice", "models: []\nmodels: []"],
  ["broken YAML", "models: [\n  {"],
  ["a list", "- a"],
  ["text", "hello"],
])("%s is refused as a problem of the file", (_name, text) => {
  expect(problemsOf(text).length).toBeGreaterThan(0);
});

test("a bomb of aliases is refused before it goes off", () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(20)}]\nmodels: [${"*b,".repeat(20)}]`;

  expect(() => readCatalogueFile(bomb, "catalogue.yaml")).toThrow(/alias/i);
});

test("a small price written as a number is read exactly, and one too small is refused", () => {
  const file = (price: string): string =>
    `{providers: [], models: [{id: m, provider: p, price: {input: ${price}, output: 0.15}, routes: [{provider: p, upstream_model: m, format: chat}]}]}`;

  expect(readCatalogueFile(file("0.000000001"), "f").models[0]?.price).toMatchObject({
    inputNano: 1n,
    outputNano: 150_000_000n,
  });
  expect(() => readCatalogueFile(file("0.0000000001"), "f")).toThrow(/models\[0\] \(m\)\.price\.input/);
});
