import { formatCredits, parseCredits } from "./money.ts";
import { invariant } from "./invariant.ts";
import type { Tariff } from "./price.ts";

/** A tariff in the words of the catalogue file: credits per million tokens, and per call of a tool, as exact decimals. */
export type TariffView = {
  input: string;
  output: string;
  cache_read: string | null;
  cache_write_5m: string | null;
  cache_write_1h: string | null;
  tools: Record<string, string>;
};

export const tariffView = (tariff: Tariff): TariffView => ({
  input: formatCredits(tariff.inputNano),
  output: formatCredits(tariff.outputNano),
  cache_read: textOf(tariff.cacheReadNano),
  cache_write_5m: textOf(tariff.cacheWrite5mNano),
  cache_write_1h: textOf(tariff.cacheWrite1hNano),
  tools: eachOf(tariff.toolCallNano, formatCredits),
});

/** The tariff of a view, whose amounts are known to be decimals. */
export const tariffOf = (view: TariffView): Tariff => ({
  inputNano: nanoOf(view.input),
  outputNano: nanoOf(view.output),
  cacheReadNano: nanoOrNull(view.cache_read),
  cacheWrite5mNano: nanoOrNull(view.cache_write_5m),
  cacheWrite1hNano: nanoOrNull(view.cache_write_1h),
  toolCallNano: eachOf(view.tools, nanoOf),
});

/** Some parts of a tariff; null takes one away. */
type TariffParts = Partial<Omit<Tariff, "toolCallNano">> & { toolCallNano?: Readonly<Record<string, bigint | null>> };
export type TariffPartsView = Partial<Omit<TariffView, "tools">> & { tools?: Record<string, string | null> };

export const tariffPartsView = (parts: TariffParts): TariffPartsView => ({
  ...(parts.inputNano === undefined ? {} : { input: formatCredits(parts.inputNano) }),
  ...(parts.outputNano === undefined ? {} : { output: formatCredits(parts.outputNano) }),
  ...(parts.cacheReadNano === undefined ? {} : { cache_read: textOf(parts.cacheReadNano) }),
  ...(parts.cacheWrite5mNano === undefined ? {} : { cache_write_5m: textOf(parts.cacheWrite5mNano) }),
  ...(parts.cacheWrite1hNano === undefined ? {} : { cache_write_1h: textOf(parts.cacheWrite1hNano) }),
  ...(parts.toolCallNano === undefined ? {} : { tools: eachOf(parts.toolCallNano, textOf) }),
});

export const tariffPartsOf = (view: TariffPartsView): TariffParts => ({
  ...(view.input === undefined ? {} : { inputNano: nanoOf(view.input) }),
  ...(view.output === undefined ? {} : { outputNano: nanoOf(view.output) }),
  ...(view.cache_read === undefined ? {} : { cacheReadNano: nanoOrNull(view.cache_read) }),
  ...(view.cache_write_5m === undefined ? {} : { cacheWrite5mNano: nanoOrNull(view.cache_write_5m) }),
  ...(view.cache_write_1h === undefined ? {} : { cacheWrite1hNano: nanoOrNull(view.cache_write_1h) }),
  ...(view.tools === undefined ? {} : { toolCallNano: eachOf(view.tools, nanoOrNull) }),
});

function nanoOf(text: string): bigint {
  const nano = parseCredits(text);
  invariant(nano !== null, "an amount that was checked is a decimal");
  return nano;
}

const nanoOrNull = (text: string | null): bigint | null => (text === null ? null : nanoOf(text));
const textOf = (nano: bigint | null): string | null => (nano === null ? null : formatCredits(nano));

const eachOf = <From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
