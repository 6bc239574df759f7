import { type Command, InvalidArgumentError } from "commander";
import { formatCredits, parseCredits } from "../core/money/money.ts";
import {
  byPart,
  MOST_PRICE_NANO,
  NEEDED_PARTS,
  onlySaid,
  OPTIONAL_PARTS,
  saysOf,
  TARIFF_PARTS,
  type TariffPart,
  type TariffParts,
  type WhenLine,
  wordOf,
} from "../core/money/price.ts";
import { readHours } from "../core/money/price-hours.ts";
import { orWord } from "./arguments.ts";

type Part = bigint | "none";

type Camel<Words extends string> = Words extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Words;
/** Where Commander keeps what was said with the flag of a part. */
type OptionOf<Name extends TariffPart> = Camel<ReturnType<typeof wordOf<Name>>>;
const optionOf = <Name extends TariffPart>(part: Name) =>
  wordOf(part).replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as OptionOf<Name>;

export type PriceOptions = { [Name in (typeof NEEDED_PARTS)[number] as OptionOf<Name>]?: bigint } & {
  [Name in (typeof OPTIONAL_PARTS)[number] as OptionOf<Name>]?: Part;
} & { tool?: Record<string, Part>; when?: readonly WhenLine[] };

/** Prices are said in credits, and costs in dollars, per million tokens or per call, and read without a float. */
export function addPriceOptions(command: Command, money: "credits" | "dollars" = "credits"): Command {
  const flagOf = (name: TariffPart): string => `--${wordOf(name).replaceAll("_", "-")}`;
  for (const name of NEEDED_PARTS) command.option(`${flagOf(name)} <${money}>`, saysOf(name), credits);
  for (const name of OPTIONAL_PARTS) command.option(`${flagOf(name)} <${money}|none>`, saysOf(name), part);
  return command
    .option(`--tool <name=${money}|none>`, "price per call of a tool that the provider runs; can be repeated", tool)
    .option(
      "--when <line|none>",
      "prices of larger inputs, tiers, regions and hours, such as input_above=272000,input=8,output=30 or tier=flex,times=0.5; can be repeated; replaces all lines (none: takes them away)",
      whenLine,
    );
}

/** What was said of a price, for the catalogue. */
export const partsOf = (options: PriceOptions): TariffParts => ({
  ...onlySaid(byPart(NEEDED_PARTS, (name) => options[optionOf(name)])),
  ...onlySaid(byPart(OPTIONAL_PARTS, (name) => orNull(options[optionOf(name)]))),
  ...(options.tool === undefined ? {} : { toolCallNano: eachOrNull(options.tool) }),
  ...(options.when === undefined ? {} : { when: options.when }),
});

function orNull<Amount>(amount: Amount): Exclude<Amount, "none"> | null {
  return amount === "none" ? null : (amount as Exclude<Amount, "none">);
}

const eachOrNull = (tools: Record<string, Part>): Record<string, bigint | null> =>
  Object.fromEntries(Object.entries(tools).map(([name, nano]) => [name, orNull(nano)]));

function credits(text: string): bigint {
  const nano = parseCredits(text);
  if (nano === null || nano > MOST_PRICE_NANO) {
    throw new InvalidArgumentError(
      `It must be a decimal of credits such as 2.50, at most ${formatCredits(MOST_PRICE_NANO)}, with at most nine decimal places.`,
    );
  }
  return nano;
}

const part = orWord("none", credits);

function tool(text: string, earlier: Record<string, Part> = {}): Record<string, Part> {
  const [, name, price = ""] = /^(\w{1,64})=(.+)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It must be a tool and its price, such as web_search=0.01.");
  return { ...earlier, [name]: part(price) };
}

const LINE_MEMBERS = `${TARIFF_PARTS.map(wordOf).join(", ")}, times, sold=false or tools.NAME`;

/** A line of a price in words, after those that were said before it. */
function whenLine(text: string, earlier: readonly WhenLine[] = []): readonly WhenLine[] {
  if (text === "none") return [];
  let line: WhenLine = { when: {}, nano: {}, toolCallNano: {}, times: null, sold: true };
  for (const member of text.split(",")) line = withMember(line, member.trim());
  return [...earlier, line];
}

function withMember(line: WhenLine, member: string): WhenLine {
  const [, name = "", value = ""] = /^([\w.]{1,80})=(.+)$/.exec(member) ?? [];
  const isPart = TARIFF_PARTS.find((candidate) => wordOf(candidate) === name);
  if (isPart !== undefined) return { ...line, nano: { ...line.nano, [isPart]: credits(value) } };
  if (name.startsWith("tools.")) {
    return { ...line, toolCallNano: { ...line.toolCallNano, [name.slice("tools.".length)]: credits(value) } };
  }
  switch (name) {
    case "input_above":
      return { ...line, when: { ...line.when, inputAbove: tokens(value) } };
    case "input_from":
      return { ...line, when: { ...line.when, inputFrom: tokens(value) } };
    case "tier":
    case "region":
      return { ...line, when: { ...line.when, [name]: place(value) } };
    case "hours":
      return { ...line, when: { ...line.when, hours: hours(value) } };
    case "times":
      return { ...line, times: credits(value) };
    case "sold":
      if (value === "false") return { ...line, sold: false };
  }
  throw new InvalidArgumentError(
    `${JSON.stringify(member)} is nothing a line has. Write a condition (input_above=N, input_from=N, tier=NAME, region=NAME or hours=TIMES) and what it says: ${LINE_MEMBERS}.`,
  );
}

function place(text: string): string {
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(text))
    throw new InvalidArgumentError(`${JSON.stringify(text)} is no name of a tier or a region, such as flex.`);
  return text;
}

function hours(text: string): string {
  if (readHours(text) === null)
    throw new InvalidArgumentError(
      `${JSON.stringify(text)} is no hours in UTC, such as mon-fri 01:00-04:00 06:00-10:00 except 2027-01-01.`,
    );
  return text;
}

function tokens(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError(`${JSON.stringify(text)} is no number of tokens, such as 272000.`);
  return Number(text);
}
