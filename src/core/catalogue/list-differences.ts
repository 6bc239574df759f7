import { formatCredits } from "../money/money.ts";
import { TARIFF_PARTS, type Tariff, type When, type WhenLine, wordOf } from "../money/price.ts";
import type { ImportedModel, ListedFacts } from "./imported-model.ts";

/** A field of a model that a list would change. `factor`: what the amount is multiplied by; null where one of the two is none or 0. */
export type FieldDifference = { field: string; before: string | null; after: string | null; factor: string | null };

export type ModelDifference = { id: string; fields: FieldDifference[] };

/** An amount as it is told, and as it is compared. */
type Amount = { text: string; count: bigint | null };
type Amounts = ReadonlyMap<string, Amount>;

/** What a list would change of what is in force, field by field: a model that is new changes nothing. */
export const listDifferences = (compared: readonly ImportedModel[]): ModelDifference[] =>
  compared.flatMap(({ id, change, before, after }) =>
    change === "changed" && before !== null ? [{ id, fields: fieldDifferences(before, after) }] : [],
  );

function fieldDifferences(before: ListedFacts, after: ListedFacts): FieldDifference[] {
  const [old, next] = [amountsOf(before), amountsOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((field) => {
    const [from, to] = [old.get(field), next.get(field)];
    if (from?.text === to?.text) return [];
    return [{ field, before: from?.text ?? null, after: to?.text ?? null, factor: factorOf(from, to) }];
  });
}

const amountsOf = ({ tariff, contextWindow, maxOutputTokens, reasoning }: ListedFacts): Amounts =>
  new Map([
    ...(tariff === null ? [] : tariffAmounts(tariff)),
    ...tokens("context_window", contextWindow),
    ...tokens("max_output_tokens", maxOutputTokens),
    ...(reasoning === null ? [] : [["reasoning", { text: String(reasoning), count: null }] as const]),
  ]);

const tariffAmounts = (tariff: Tariff): [string, Amount][] => [
  ...TARIFF_PARTS.flatMap((part) => credits(wordOf(part), tariff[part])),
  ...Object.entries(tariff.toolCallNano).flatMap(([tool, nano]) => credits(`tools.${tool}`, nano)),
  ...(tariff.when ?? []).flatMap(lineAmounts),
];

function lineAmounts({ when, nano, toolCallNano, times, sold }: WhenLine): [string, Amount][] {
  const name = (field: string): string => `when ${conditionText(when)}: ${field}`;
  if (!sold) return [[name("sold"), { text: "false", count: null }]];
  return [
    ...TARIFF_PARTS.flatMap((part) => credits(name(wordOf(part)), nano[part])),
    ...Object.entries(toolCallNano).flatMap(([tool, amount]) => credits(name(`tools.${tool}`), amount)),
    // Billionths, as credits are.
    ...credits(name("times"), times),
  ];
}

/** `input_above=272000`. */
const conditionText = (when: When): string =>
  Object.entries(when)
    .map(([name, value]) => `${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}=${value}`)
    .join(",");

const credits = (field: string, nano: bigint | null | undefined): [string, Amount][] =>
  nano === null || nano === undefined ? [] : [[field, { text: formatCredits(nano), count: nano }]];

const tokens = (field: string, count: number | null): [string, Amount][] =>
  count === null ? [] : [[field, { text: String(count), count: BigInt(count) }]];

const THOUSANDTHS = 1_000n;

function factorOf(before: Amount | undefined, after: Amount | undefined): string | null {
  if (!before?.count || !after?.count) return null;
  const thousandths = (2n * THOUSANDTHS * after.count + before.count) / (2n * before.count);
  return thousandths === 0n
    ? "0.000"
    : `${thousandths / THOUSANDTHS}.${String(thousandths % THOUSANDTHS).padStart(3, "0")}`;
}
