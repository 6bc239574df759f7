import { Command } from "commander";
import { expect, test } from "vitest";
import { byPart, NEEDED_PARTS, OPTIONAL_PARTS, TARIFF_PARTS, wordOf } from "../core/money/price.ts";
import { addPriceOptions, partsOf, type PriceOptions } from "./price-options.ts";

function said(...given: string[]) {
  const command = addPriceOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return partsOf(command.parse(given, { from: "user" }).opts<PriceOptions>());
}

const flag = (part: (typeof TARIFF_PARTS)[number]): string => `--${wordOf(part).replaceAll("_", "-")}`;

test("every part of a price has an option of its name, and what is not said is not among the parts", () => {
  expect(said(...TARIFF_PARTS.flatMap((part, index) => [flag(part), `${index}.5`]))).toEqual(
    byPart(TARIFF_PARTS, (part) => BigInt(TARIFF_PARTS.indexOf(part)) * 10n ** 9n + 5n * 10n ** 8n),
  );
  expect(said()).toEqual({});
});

test("none takes a part or a tool away; what every price has cannot be taken", () => {
  expect(said(...OPTIONAL_PARTS.flatMap((part) => [flag(part), "none"]), "--tool", "web_search=none")).toEqual({
    ...byPart(OPTIONAL_PARTS, () => null),
    toolCallNano: { web_search: null },
  });
  for (const part of NEEDED_PARTS) expect(() => said(flag(part), "none")).toThrow("decimal of credits");
});

test("lines of a price are said one by one, in the words of the catalogue file", () => {
  expect(
    said("--when", "input_above=272000, input=5, output=22.50", "--when", "input_from=900000,sold=false").when,
  ).toEqual([
    {
      when: { inputAbove: 272_000 },
      nano: { inputNano: 5_000_000_000n, outputNano: 22_500_000_000n },
      toolCallNano: {},
      times: null,
      sold: true,
    },
    { when: { inputFrom: 900_000 }, nano: {}, toolCallNano: {}, times: null, sold: false },
  ]);
  expect(said("--when", "input_above=9,times=1.1,tools.web_search=0.02").when).toMatchObject([
    { times: 1_100_000_000n, toolCallNano: { web_search: 20_000_000n } },
  ]);
  expect(said("--when", "none").when).toEqual([]);
});

test.each([
  "input_above=many,times=2",
  "above=9,times=2",
  "input_above=9,sold=true",
  "input_above=9,input=dear",
  "input_above",
])("a line such as %j is not understood", (line) => {
  expect(() => said("--when", line)).toThrow();
});
