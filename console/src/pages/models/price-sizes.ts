import {
  byPart,
  NEEDED_PARTS,
  OPTIONAL_PARTS,
  TARIFF_PARTS,
  type WhenLine,
  wordOf,
} from "../../../../src/core/money/price.ts";
import { type RateRow, rowsOf, tariffFault } from "../../../../src/core/money/rate-rows.ts";
import type { PriceWhen, Tariff } from "../../api/generated/admin.ts";
import { readCredits } from "../../format/money.ts";

/** A line in one line of text, as the command's `--when` takes it. */
export const whenText = ({ tools = {}, ...line }: PriceWhen): string =>
  [
    ...Object.entries(line).map(([name, value]) => `${name}=${String(value)}`),
    ...Object.entries(tools).map(([name, amount]) => `tools.${name}=${amount}`),
  ].join(", ");

const MEMBER =
  /^(?=input_(?:above|from)=[1-9]\d{0,8}$|sold=false$|(?:tier|region)=[a-z0-9][a-z0-9_-]{0,39}$|hours=[a-z0-9: -]{1,1500}$|(?!input_(?:above|from)|sold|tier|region|hours)[\w.]+=\d{1,7}(?:\.\d{1,9})?$)([\w.]+)=(.+)$/;

/** A typed line; null: it is none. What its members may be is said by the gateway. */
export function readWhen(text: string): PriceWhen | null {
  const members = text.split(",").map((member) => MEMBER.exec(member.trim()));
  if (members.includes(null)) return null;
  const named = members.map((member) => [member?.[1] ?? "", member?.[2] ?? ""] as const);
  const tools = named.filter(([name]) => name.startsWith("tools."));
  const rest = named.filter(([name]) => !name.startsWith("tools."));
  return {
    ...Object.fromEntries(rest.map(([name, value]) => [name, valueOf(name, value)])),
    ...(tools.length > 0 && { tools: Object.fromEntries(tools.map(([name, value]) => [name.slice(6), value])) }),
  };
}

function valueOf(name: string, value: string): string | number | boolean {
  if (name === "sold") return value !== "false";
  return name.startsWith("input_") ? Number(value) : value;
}

export const sameLines = (one: Tariff | null, other: Tariff): boolean =>
  (one?.when ?? []).map(whenText).join("\n") === (other.when ?? []).map(whenText).join("\n");

/** What a price says, by size of the input, tier and region; the whole of it where it has no lines. */
export const rowsOfPrice = (price: Tariff | null): readonly RateRow[] =>
  price === null ? [] : rowsOf(tariffOf(price));

/** Why lines make no price, as the gateway would say it; null: they do. */
export const faultIn = (price: Tariff): string | null => tariffFault(tariffOf(price));

const tariffOf = (price: Tariff) => ({
  ...byPart(NEEDED_PARTS, (part) => readCredits(price[wordOf(part)])),
  ...byPart(OPTIONAL_PARTS, (part) => nanoOrNull(price[wordOf(part)])),
  toolCallNano: nanoOf(price.tools),
  ...(price.when !== undefined && { when: price.when.map(lineOf) }),
});

const nanoOrNull = (text: string | null): bigint | null => (text === null ? null : readCredits(text));
const nanoOf = (amounts: Readonly<Record<string, string>> = {}): Record<string, bigint> =>
  Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, readCredits(text)]));

const lineOf = (line: PriceWhen): WhenLine => ({
  when: {
    ...(line.input_above !== undefined && { inputAbove: line.input_above }),
    ...(line.input_from !== undefined && { inputFrom: line.input_from }),
    ...(line.tier !== undefined && { tier: line.tier }),
    ...(line.region !== undefined && { region: line.region }),
    ...(line.hours !== undefined && { hours: line.hours }),
  },
  nano: Object.fromEntries(
    TARIFF_PARTS.flatMap((part) => {
      const text = line[wordOf(part)];
      return text === undefined ? [] : [[part, readCredits(text)]];
    }),
  ),
  toolCallNano: nanoOf(line.tools),
  times: line.times === undefined ? null : readCredits(line.times),
  sold: line.sold !== false,
});
