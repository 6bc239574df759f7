import { type Command, InvalidArgumentError } from "commander";
import { formatCredits, parseCredits } from "../core/money/money.ts";
import {
  byPart,
  MOST_PRICE_NANO,
  NEEDED_PARTS,
  onlySaid,
  OPTIONAL_PARTS,
  saysOf,
  type TariffPart,
  type TariffParts,
  wordOf,
} from "../core/money/price.ts";
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
} & { tool?: Record<string, Part> };

/** Prices are said in credits, per million tokens or per call, and read without a float. */
export function addPriceOptions(command: Command): Command {
  const flagOf = (name: TariffPart): string => `--${wordOf(name).replaceAll("_", "-")}`;
  for (const name of NEEDED_PARTS) command.option(`${flagOf(name)} <credits>`, saysOf(name), credits);
  for (const name of OPTIONAL_PARTS) command.option(`${flagOf(name)} <credits|none>`, saysOf(name), part);
  return command.option(
    "--tool <name=credits|none>",
    "price per call of a tool that the provider runs; can be repeated",
    tool,
  );
}

/** What was said of a price, for the catalogue. */
export const partsOf = (options: PriceOptions): TariffParts => ({
  ...onlySaid(byPart(NEEDED_PARTS, (name) => options[optionOf(name)])),
  ...onlySaid(byPart(OPTIONAL_PARTS, (name) => orNull(options[optionOf(name)]))),
  ...(options.tool === undefined ? {} : { toolCallNano: eachOrNull(options.tool) }),
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
