import { expect, test } from "vitest";
import { readCatalogueFile } from "./catalogue-file.ts";

const file = (...costs: string[]): string =>
  [
    "models:",
    ...costs.flatMap((cost, index) => [
      `  - id: m${index}`,
      "    provider: acme",
      "    max_output_tokens: 100",
      "    routes:",
      `      - { provider: acme, upstream_model: large, format: chat${cost} }`,
    ]),
  ].join("\n");
const read = (...costs: string[]) => readCatalogueFile(file(...costs), "catalogue.yaml");

test("a route says what it costs as a price does, with a date, that it is not known any more, or nothing", () => {
  const { models } = read(
    ', cost: { input: 2.5, output: "10", effective_from: 2026-11-01 }',
    ', cost: { input: "2.50", output: "10.0", effective_from: "2026-11-01T00:00:00Z" }',
    "",
  );

  expect(models.map(({ routes: [route] }) => route?.cost)).toMatchObject([
    { inputNano: 2_500_000_000n, outputNano: 10_000_000_000n, effectiveFromMs: Date.UTC(2026, 10, 1) },
    { inputNano: 2_500_000_000n },
    undefined,
  ]);
  expect(read(", cost: null").models[0]?.routes[0]?.cost).toBeNull();
});

test.each([
  [
    "a cost with a gap",
    [", cost: { input: 1, output: 1, when: [{ tier: flex, input_above: 5, input: 1, output: 1 }] }"],
    "models[0] (m0).routes[0].cost.when: expected a whole price: there is no price for { tier: flex } alone",
  ],
  ["a cost without a part that it must have", [", cost: { input: 1 }"], "models[0] (m0).routes[0].cost.output"],
  [
    "two costs of one model of a provider",
    [", cost: { input: 1, output: 1 }", "", ", cost: { input: 2, output: 1 }"],
    "models[2] (m2).routes[0].cost: expected the same as in models[0].routes[0], which leads to the same model of the provider: large has one cost",
  ],
] as const)("%s is rejected where it stands", (_, costs, message) => {
  expect(() => read(...costs)).toThrow(message);
});
