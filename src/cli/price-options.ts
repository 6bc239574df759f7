import { type Command, InvalidArgumentError } from "commander";
import { formatCredits, parseCredits } from "../core/money.ts";
import { orWord } from "./arguments.ts";

type Part = bigint | "none";

export type PriceOptions = {
  input?: bigint;
  output?: bigint;
  cacheRead?: Part;
  cacheWrite5m?: Part;
  cacheWrite1h?: Part;
  tool?: Record<string, Part>;
};

/** A million credits for a million tokens: nobody means more. */
const MOST_NANO = 10n ** 15n;

/** Prices are said in credits, per million tokens or per call, and read without a float. */
export const addPriceOptions = (command: Command): Command =>
  command
    .option("--input <credits>", "per million tokens of input, such as 2.50", credits)
    .option("--output <credits>", "per million tokens of output", credits)
    .option("--cache-read <credits|none>", "per million tokens read from a cache (none: as input)", part)
    .option("--cache-write-5m <credits|none>", "per million tokens written to a cache for five minutes", part)
    .option("--cache-write-1h <credits|none>", "per million tokens written to a cache for an hour", part)
    .option("--tool <name=credits|none>", "per call of a tool that the provider runs; may be repeated", tool);

/** What was said of a price, for the catalogue. */
export const partsOf = ({ input, output, cacheRead, cacheWrite5m, cacheWrite1h, tool: tools }: PriceOptions) => ({
  ...(input === undefined ? {} : { inputNano: input }),
  ...(output === undefined ? {} : { outputNano: output }),
  ...(cacheRead === undefined ? {} : { cacheReadNano: orNull(cacheRead) }),
  ...(cacheWrite5m === undefined ? {} : { cacheWrite5mNano: orNull(cacheWrite5m) }),
  ...(cacheWrite1h === undefined ? {} : { cacheWrite1hNano: orNull(cacheWrite1h) }),
  ...(tools === undefined
    ? {}
    : { toolCallNano: Object.fromEntries(Object.entries(tools).map(([name, nano]) => [name, orNull(nano)])) }),
});

const orNull = (amount: Part): bigint | null => (amount === "none" ? null : amount);

function credits(text: string): bigint {
  const nano = parseCredits(text);
  if (nano === null || nano > MOST_NANO) {
    throw new InvalidArgumentError(
      `It must be a decimal of credits such as 2.50, at most ${formatCredits(MOST_NANO)}, with at most nine decimal places.`,
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
