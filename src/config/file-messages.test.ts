import { expect, test } from "vitest";
import { readCatalogueFile } from "./read/catalogue-file.ts";
import { loadConfig } from "./load-config.ts";
import { readExactJson } from "./price-list/read-exact-json.ts";

const messageOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
};

const MODEL = `models:
  - id: gpt-4.1-mini
    provider: openai
    max_output_tokens: 8192
    price: { input: "0.40", output: "1.60" }
    routes:
      - { provider: openai, upstream_model: gpt-4.1-mini, format: chat }
`;
const PROVIDER = "providers: [{ name: openai, base_url: https://api.openai.com/v1, credential: env:OPENAI_KEY }]\n";

test.each<[from: string, to: string, message: string]>([
  [
    "max_output_tokens: 8192",
    "max_ouput_tokens: 8192",
    "c.yaml:5:5: models[0] (gpt-4.1-mini).max_ouput_tokens: there is no such field. Did you mean `max_output_tokens`?",
  ],
  [
    "max_output_tokens: 8192",
    "max_output_tokens: lots",
    "c.yaml:5:5: models[0] (gpt-4.1-mini).max_output_tokens: expected a number, got text.",
  ],
  [
    "max_output_tokens: 8192",
    "max_output_tokens: 0",
    "c.yaml:5:5: models[0] (gpt-4.1-mini).max_output_tokens: expected at least 1, got 0.",
  ],
  [
    "format: chat",
    "format: chatt",
    "c.yaml:8:59: models[0] (gpt-4.1-mini).routes[0].format: expected `chat`, `responses`, `messages`, `gemini`, `converse` or `embeddings`. Did you mean `chat`?",
  ],
  [
    "format: chat",
    "format: chat, dialect: chat",
    "c.yaml:8:73: models[0] (gpt-4.1-mini).routes[0].dialect: there is no such field.",
  ],
  [
    ', output: "1.60"',
    "",
    "c.yaml:6:5: models[0] (gpt-4.1-mini).price.output: is required: only a model that makes embeddings has no price of output.",
  ],
  [
    '"0.40"',
    "cheap",
    "c.yaml:6:14: models[0] (gpt-4.1-mini).price.input: expected a decimal such as 2.50, at most 1,000,000, with at most nine decimal places.",
  ],
  [
    "env:OPENAI_KEY",
    "sk-secret",
    "c.yaml:1:66: providers[0] (openai).credential: expected env:NAME, file:/absolute/path, stored, none, aws, aws:ROLE_ARN, google or entra.",
  ],
  [
    "models:\n",
    "models:\n  - { id: gpt-4.1-mini, provider: p, routes: [{ provider: openai, upstream_model: m, format: chat }] }\n",
    'c.yaml:2:1: models: should name every model once; "gpt-4.1-mini" is there twice.',
  ],
  ["providers:", "provider:", "c.yaml:1:1: provider: there is no such field. Did you mean `providers`?"],
  ["    provider: openai\n", "\tprovider: openai\n", "c.yaml:4:1: a tab is used for indentation; use spaces."],
  ["    provider: openai\n", "    id: other\n", "c.yaml:4:5: this name is given twice; keep one."],
])("of a catalogue file, %j as %j is reported by place, field and fix", (from, to, message) => {
  const text = `${PROVIDER}${MODEL}`;
  expect(text).toContain(from);

  expect(messageOf(() => readCatalogueFile(text.replace(from, to), "c.yaml"))).toContain(`\n  ${message}`);
});

test("every problem of a catalogue file is listed, under one line that counts them", () => {
  const wrong = `${PROVIDER}${MODEL}`.replace("8192", "-1").replace("chat }", "smoke }").replace("https:", "ftp:");

  expect(messageOf(() => readCatalogueFile(wrong, "c.yaml")).split("\n")).toEqual([
    "The catalogue file has 3 problems:",
    "  c.yaml:1:29: providers[0] (openai).base_url: expected an http or https URL without credentials, query or fragment.",
    "  c.yaml:5:5: models[0] (gpt-4.1-mini).max_output_tokens: expected at least 1, got -1.",
    "  c.yaml:8:59: models[0] (gpt-4.1-mini).routes[0].format: expected `chat`, `responses`, `messages`, `gemini`, `converse` or `embeddings`.",
  ]);
});

test.each<[file: string, environment: Record<string, string>, message: string]>([
  ["limits:\n  body_byte: 5\n", {}, "t.yaml:2:3: no such setting: limits.body_byte; did you mean limits.body_bytes?"],
  ["limits:\n  body_bytes: lots\n", {}, "t.yaml:2:3: limits.body_bytes: expected"],
  ["limits: {\n", {}, "t.yaml:2:1: the indentation is wrong, or a closing bracket or quote is missing above."],
  ["a: b: c\n", {}, "t.yaml:1:4: nested names must begin on a line of their own, indented."],
  [
    "",
    { TOLLGATE_LIMITS_BODY_BYTE: "5" },
    "TOLLGATE_LIMITS_BODY_BYTE: no such setting; did you mean TOLLGATE_LIMITS_BODY_BYTES?",
  ],
  ["", { TOLLGATE_LIMITS_BODY_BYTES: "5x" }, "TOLLGATE_LIMITS_BODY_BYTES: limits.body_bytes: expected"],
])("of the settings %j and %j a problem is reported by place, name and fix", (file, environment, message) => {
  const load = () => loadConfig({ options: { config: "t.yaml" }, environment, readFile: () => file });

  expect(messageOf(load)).toContain(`\n  ${message}`);
});

test.each<[text: string, message: string]>([
  ['{\n  "a": {"mode": "chat"},\n  "a": {}\n}', "p.json:3:3: a is given twice; keep one."],
  ['{\n  "a": oops\n}', "p.json:2:8: this is not valid JSON."],
  ['{\n  "a": {"mode": "chat"}', "p.json:2:24: the JSON ends too early; is the file complete?"],
  ["[1]", "p.json: the file must contain a JSON object."],
])("of the price list %j a problem is reported by place", (text, message) => {
  expect(messageOf(() => readExactJson(text, "p.json"))).toBe(`The price list has a problem:\n  ${message}`);
});

test("a route's `dialect`, the earlier name of its `format`, is still read", () => {
  const earlier = MODEL.replace("format: chat", "dialect: chat");

  expect(readCatalogueFile(PROVIDER + earlier, "c.yaml")).toEqual(readCatalogueFile(PROVIDER + MODEL, "c.yaml"));
});

test("the problems of a file are listed in its order", () => {
  const wrong = MODEL.replace("max_output_tokens: 8192", "max_ouput_tokens: 8192").replace(
    "format: chat",
    "format: chatt",
  );

  expect(messageOf(() => readCatalogueFile(PROVIDER + wrong, "c.yaml")).match(/c\.yaml:\d+/g)).toEqual([
    "c.yaml:5",
    "c.yaml:8",
  ]);
});
