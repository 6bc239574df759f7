import { formatCredits, parseCredits } from "./money.ts";
import { invariant } from "./invariant.ts";
import {
  byPart,
  byWord,
  NEEDED_PARTS,
  onlySaid,
  OPTIONAL_PARTS,
  type Tariff,
  type TariffParts,
  wordOf,
} from "./price.ts";

/** A tariff in the words of the catalogue file: credits per million tokens, and per call of a tool, as exact decimals. */
export type TariffView = ReturnType<typeof tariffView>;

export const tariffView = (tariff: Tariff) => ({
  ...byWord(NEEDED_PARTS, (part) => formatCredits(tariff[part])),
  ...byWord(OPTIONAL_PARTS, (part) => textOf(tariff[part] ?? null)),
  tools: eachOf(tariff.toolCallNano, formatCredits),
});

/** The tariff of a view, whose amounts are known to be decimals. */
export const tariffOf = (view: TariffView): Tariff => ({
  ...byPart(NEEDED_PARTS, (part) => nanoOf(view[wordOf(part)])),
  ...byPart(OPTIONAL_PARTS, (part) => nanoOrNull(view[wordOf(part)])),
  toolCallNano: eachOf(view.tools, nanoOf),
});

/** Some parts of a tariff; null takes one away. */
export type TariffPartsView = Partial<Omit<TariffView, "tools">> & { tools?: Record<string, string | null> };

export const tariffPartsView = (parts: TariffParts): TariffPartsView => ({
  ...onlySaid(byWord(NEEDED_PARTS, (part) => ifSaid(parts[part], formatCredits))),
  ...onlySaid(byWord(OPTIONAL_PARTS, (part) => ifSaid(parts[part], textOf))),
  ...(parts.toolCallNano === undefined ? {} : { tools: eachOf(parts.toolCallNano, textOf) }),
});

export const tariffPartsOf = (view: TariffPartsView): TariffParts => ({
  ...onlySaid(byPart(NEEDED_PARTS, (part) => ifSaid(view[wordOf(part)], nanoOf))),
  ...onlySaid(byPart(OPTIONAL_PARTS, (part) => ifSaid(view[wordOf(part)], nanoOrNull))),
  ...(view.tools === undefined ? {} : { toolCallNano: eachOf(view.tools, nanoOrNull) }),
});

const ifSaid = <From, To>(value: From | undefined, change: (value: From) => To): To | undefined =>
  value === undefined ? undefined : change(value);

function nanoOf(text: string): bigint {
  const nano = parseCredits(text);
  invariant(nano !== null, "an amount that was checked is a decimal");
  return nano;
}

const nanoOrNull = (text: string | null): bigint | null => (text === null ? null : nanoOf(text));
const textOf = (nano: bigint | null): string | null => (nano === null ? null : formatCredits(nano));

const eachOf = <From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
