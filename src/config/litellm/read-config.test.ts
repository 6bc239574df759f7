import { expect, test } from "vitest";
import { readLitellmConfig } from "./read-config.ts";

const ONE = { digits: 1n, exponent: 0 };
const presets = {
  openai: { url: "https://api.openai.com/v1", credential: "env:OPENAI_API_KEY" },
  anthropic: { url: "https://api.anthropic.com/v1", credential: "env:ANTHROPIC_API_KEY" },
  groq: { url: "https://api.groq.com/openai/v1", credential: "env:GROQ_API_KEY" },
};
const read = (text: string, prices: Record<string, unknown> = {}) =>
  readLitellmConfig(text, { path: "c.yaml", presets, exchange: { markup: ONE, creditUsd: ONE }, prices });

const CONFIG = `model_list:
  - model_name: gpt
    litellm_params:
      model: openai/gpt-4o
      api_key: os.environ/TEAM_KEY
      input_cost_per_token: 0.0000025
      output_cost_per_token: 1e-05
      rpm: 600
  - model_name: gpt
    litellm_params:
      model: openai/gpt-4o
      api_base: https://eu.example.com/v1/
      api_key: sk-never-shown
      order: 2
      input_cost_per_token: 0.000003
      output_cost_per_token: 0.000009
  - model_name: claude
    litellm_params: &claude
      model: claude-sonnet-4-5
      api_base: https://proxy.example.com
      input_cost_per_token: 3e-6
      output_cost_per_token: 1.5e-5
    model_info: { max_input_tokens: 200000, max_output_tokens: 64000 }
  - model_name: claude-again
    litellm_params:
      <<: *claude
      timeout: 60
  - model_name: cheap
    litellm_params: { model: groq/llama, input_cost_per_token: 1e-8, output_cost_per_token: 1e-8 }
  - model_name: "openai/*"
    litellm_params: { model: "openai/*" }
  - model_name: az
    litellm_params: { model: azure/dep }
  - model_name: vectors
    litellm_params: { model: openai/text-embedding-3-small }
    model_info: { mode: embedding }
router_settings:
  model_group_alias: { smart: claude, lost: nowhere }
  fallbacks: [{ claude: [cheap] }, { cheap: [claude] }]
general_settings:
  master_key: sk-never-shown
  database_url: postgres://user:never-shown@db/litellm
litellm_settings: { drop_params: true }
guardrails: []
`;

test("deployments become routes of one model, at the higher of each part of their prices", () => {
  const { catalogue } = read(CONFIG);
  const gpt = catalogue.models.find(({ id }) => id === "gpt");

  expect(gpt?.price).toMatchObject({ inputNano: 3_000_000_000n, outputNano: 10_000_000_000n });
  expect(gpt?.routes).toMatchObject([
    { provider: "openai", upstreamModel: "gpt-4o", dialect: "chat", priority: 0 },
    { provider: "openai-2", upstreamModel: "gpt-4o", dialect: "chat", priority: 2 },
  ]);
});

test("a variable stays a reference, and another address is never given the variable of a preset", () => {
  expect(read(CONFIG).catalogue.providers).toMatchObject([
    { name: "openai", baseUrl: "https://api.openai.com/v1", credentialRef: "env:TEAM_KEY" },
    { name: "openai-2", baseUrl: "https://eu.example.com/v1", credentialRef: "none" },
    { name: "anthropic", baseUrl: "https://proxy.example.com/v1", credentialRef: "none" },
    { name: "groq", credentialRef: "env:GROQ_API_KEY" },
  ]);
});

test("an alias is a model of its own, and a fallback is a later route unless it would be sold below its price", () => {
  const { models } = read(CONFIG).catalogue;
  const routes = (id: string) =>
    models.find((model) => model.id === id)?.routes.map(({ provider, priority }) => `${provider} ${priority}`);

  expect(models.map(({ id }) => id)).toEqual(["gpt", "claude", "claude-again", "cheap", "smart"]);
  expect(models.find(({ id }) => id === "claude")).toMatchObject({ contextWindow: 200_000, maxOutputTokens: 64_000 });
  expect(routes("claude")).toEqual(["anthropic 0", "groq 100"]);
  expect(routes("smart")).toEqual(routes("claude"));
  expect(routes("cheap")).toEqual(["groq 0"]);
});

test("what does not carry is listed with its line and what to do, and no value of the file", () => {
  const { notCarried, text } = read(CONFIG);

  expect(notCarried.map(({ source, what }) => `${source} ${what}`)).toEqual([
    "c.yaml:8 gpt: rpm",
    "c.yaml:13 gpt: an api_key that is not os.environ/NAME in capitals",
    "c.yaml:27 claude-again: timeout",
    "c.yaml:30 openai/*: a wildcard",
    "c.yaml:32 az: the vendor azure is not known here",
    "c.yaml:34 vectors: a model of mode embedding",
    "c.yaml:9 gpt: another price than the deployment above",
    "c.yaml:2 gpt: no output limit",
    "c.yaml:24 claude-again: no output limit",
    "c.yaml:28 cheap: no output limit",
    "c.yaml:38 the alias lost of a model that is not carried",
    "c.yaml:39 the fallback from cheap to claude, which costs more or has no price",
    "c.yaml:41 general_settings.master_key",
    "c.yaml:42 general_settings.database_url",
    "c.yaml:43 litellm_settings.drop_params",
    "c.yaml:44 guardrails",
  ]);
  expect(notCarried.every(({ instead }) => instead !== "")).toBe(true);
  expect(`${JSON.stringify(notCarried)}${text}`).not.toContain("never-shown");
});

test("deployments at one price keep its lines of larger inputs and of tiers; at two, what is lost is said", () => {
  const number = (numberText: string) => ({ numberText });
  const listed = {
    input_cost_per_token: number("1e-06"),
    output_cost_per_token: number("2e-06"),
    input_cost_per_token_above_200k_tokens: number("2e-06"),
    output_cost_per_token_above_200k_tokens: number("4e-06"),
    input_cost_per_token_flex: number("5e-07"),
    output_cost_per_token_flex: number("1e-06"),
  };
  const deployment = (order: number) =>
    `  - { model_name: m, litellm_params: { model: openai/m, api_base: "https://${order}.example.com/v1", order: ${order} }, model_info: { max_output_tokens: 9 } }\n`;

  const other = deployment(2).replace("order: 2", "input_cost_per_token: 0.0000015");

  const once = read(`model_list:\n${deployment(1)}`, { m: listed });
  const twice = read(`model_list:\n${deployment(1)}${deployment(2)}`, { m: listed });

  expect(once.catalogue.models).toMatchObject([
    { price: { when: [{ when: { inputAbove: 200_000 } }, { when: { tier: "flex" } }, { sold: false }] } },
  ]);
  expect(twice.catalogue.models[0]).toMatchObject({ price: (once.catalogue.models[0] as { price: object }).price });
  expect(read(`model_list:\n${deployment(1)}${other}`, { m: listed }).notCarried).toMatchObject([
    { what: "m: another price than the deployment above", instead: expect.stringContaining("--when") as string },
  ]);
});

test("prices and limits come from the price list where the configuration has none; without either the model has no price", () => {
  const config = "model_list:\n  - model_name: m\n    litellm_params: { model: openai/gpt-4o }\n";
  const number = (numberText: string) => ({ numberText });
  const prices = {
    "gpt-4o": {
      input_cost_per_token: number("2.5e-06"),
      output_cost_per_token: number("1e-05"),
      max_output_tokens: number("16384"),
    },
  };

  expect(read(config, prices).catalogue.models).toMatchObject([
    { maxOutputTokens: 16_384, price: { inputNano: 2_500_000_000n, outputNano: 10_000_000_000n } },
  ]);
  expect(read(config).catalogue.models).toMatchObject([{ price: null, outputCeiling: 8_192 }]);
  expect(read(config).notCarried).toMatchObject([
    { source: "c.yaml:2", what: "m: no output limit" },
    { source: "c.yaml:2", what: "m: no price" },
  ]);
});

test.each([
  ["model_list: [", "c.yaml:1"],
  ["x: 1\n", "no model_list"],
])("%j is refused", (text, why) => {
  expect(() => read(text)).toThrow(why);
});

test.each([
  ["input", "2e-6", "1e-6"],
  ["output", "1e-6", "2e-6"],
])("a fallback whose %s alone is dearer is not carried", (_part, input, output) => {
  const deployment = (name: string, prices: string): string =>
    `  - model_name: ${name}\n    litellm_params: { model: groq/${name}, ${prices} }\n    model_info: { max_output_tokens: 10 }\n`;
  const { catalogue, notCarried } = read(
    `model_list:\n${deployment("own", "input_cost_per_token: 1e-6, output_cost_per_token: 1e-6")}${deployment("other", `input_cost_per_token: ${input}, output_cost_per_token: ${output}`)}router_settings: { fallbacks: [{ own: [other] }] }\n`,
  );

  expect(catalogue.models.find(({ id }) => id === "own")?.routes).toHaveLength(1);
  expect(notCarried).toMatchObject([
    { source: "c.yaml:8", what: expect.stringContaining("which costs more") as string },
  ]);
});
