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
