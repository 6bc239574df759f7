import { z } from "zod";
import { formatAmount, parseAmount, type Unit } from "../../core/amount.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amountIn } from "./amount-in.ts";
import { dateOf, instant } from "./instant.ts";
import { liveAmountsView } from "./live.ts";

/** Digits after the point of a millionth of the smallest unit. */
const DIGITS = { credit: 15, tokens: 6 } as const satisfies Record<Unit, number>;

function exactly(unit: Unit, millionths: bigint): string {
  const scale = 10n ** BigInt(DIGITS[unit]);
  const fraction = (millionths % scale).toString().padStart(DIGITS[unit], "0").replace(/0+$/, "");
  return `${millionths / scale}${fraction === "" ? "" : `.${fraction}`}`;
}

function millionthsOf(unit: Unit, text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(DIGITS[unit], "0"));
}

/** Why a charge is not the sum of its lines. */
const PRICE_GAPS = ["provider_failed", "voided", "estimated", "absorbed", "no_price"] as const;

const DECIMAL = /^\d{1,30}(?:\.\d{1,15})?$/;

const priceLine = z
  .object({
    what: z
      .string()
      .meta({ examples: ["input"] })
      .describe("`input`, `output`, `cache_read`, `cache_write_5m`, `cache_write_1h`, or `tools.` and a tool."),
    count: z
      .string()
      .regex(/^\d{1,20}$/)
      .meta({ examples: ["1200"] })
      .describe("Tokens, or calls of a tool."),
    unit_price: z
      .string()
      .regex(DECIMAL)
      .meta({ examples: ["3.7"] })
      .describe("For a million tokens, or for one call of a tool."),
    amount: z
      .string()
      .regex(DECIMAL)
      .meta({ examples: ["0.00444"] })
      .describe("Exactly `count` × `unit_price`."),
  })
  .meta({ id: "PriceLine" });

const work = (unit: Unit) =>
  z
    .object({
      lines: z.array(priceLine).describe("What was counted, each with its price."),
      sum: amountIn(unit).nullable().describe("The lines added up and rounded once; null: the price is not known."),
      charged: amountIn(unit).describe("What the journal says."),
      gap: z
        .enum(PRICE_GAPS)
        .nullable()
        .describe(
          "Why `charged` is not `sum`; null: it is. `provider_failed`: failures are free. `voided`: the charge could not be confirmed. `estimated`: counts of the gateway cost at most what was reserved. `absorbed`: the operator pays the rest. `no_price`: the price is gone.",
        ),
    })
    .meta({ id: unit === "credit" ? "CreditArithmetic" : "TokenArithmetic" })
    .transform(({ lines, ...rest }) => ({
      ...rest,
      lines: lines.map(({ what, count, unit_price: price, amount }) => ({
        what,
        count: BigInt(count),
        unitPrice: parseAmount(unit, price) ?? 0n,
        millionths: millionthsOf(unit, amount),
      })),
    }));

type Work = ReadAs<ReturnType<typeof work>>;
type LooseWork = Omit<Work, "lines"> & { lines: readonly Work["lines"][number][] };

const workView = (unit: Unit, { lines, sum, charged, gap }: LooseWork): WrittenAs<ReturnType<typeof work>> => ({
  lines: lines.map(({ what, count, unitPrice, millionths }) => ({
    what,
    count: String(count),
    unit_price: formatAmount(unit, unitPrice),
    amount: exactly(unit, millionths),
  })),
  sum: sum === null ? null : formatAmount(unit, sum),
  charged: formatAmount(unit, charged),
  gap,
});

const entry = z
  .object({
    kind: z
      .enum(["hold", "release", "charge", "refund", "void", "given_back", "absorbed"])
      .describe("`given_back`: an operator released it from quarantine. `absorbed`: what the operator pays."),
    at: instant,
    credits: amountIn("credit").nullable().describe("Below zero: reserved or charged."),
    tokens: amountIn("tokens").nullable(),
    reference: z.string().nullable(),
    actor: z.string().nullable(),
  })
  .meta({ id: "RequestLedgerEntry" })
  .transform(({ at, ...rest }) => ({ ...rest, atMs: at }));

const usage = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_read_tokens: z.int(),
    cache_write_tokens: z.int(),
    cache_write_1h_tokens: z.int(),
    reasoning_tokens: z.int(),
    tool_calls: z.record(z.string(), z.int()),
  })
  .meta({ id: "RequestUsage" })
  .transform((counts) => ({
    inputTokens: counts.input_tokens,
    outputTokens: counts.output_tokens,
    cacheReadTokens: counts.cache_read_tokens,
    cacheWriteTokens: counts.cache_write_tokens,
    cacheWrite1hTokens: counts.cache_write_1h_tokens,
    reasoningTokens: counts.reasoning_tokens,
    toolCalls: counts.tool_calls,
  }));

export const moneySchema = z
  .object({
    kind: z.string().describe("How the ledger recorded its end: `completed`, `client_gone`, `upstream_failed`, …"),
    price_version: z.int().nullable(),
    estimated: z.boolean().describe("The counts are the gateway's: the provider sent none, or impossible ones."),
    usage: usage.describe("What was counted. Parts of input and output are included in these."),
    credits: work("credit").nullable().describe("Null: nothing counts in credits."),
    tokens: work("tokens").nullable().describe("Null: nothing counts in tokens."),
    entries: z.array(entry).describe("What the ledger has about the request, oldest first."),
  })
  .meta({ id: "RequestMoney" })
  .transform(({ price_version: priceVersion, ...rest }) => ({ ...rest, priceVersion }));

type Money = ReadAs<typeof moneySchema>;
/** What a view does not change may be fixed. */
export type LooseMoney = Omit<Money, "entries" | "credits" | "tokens" | "usage"> & {
  usage: Omit<Money["usage"], "toolCalls"> & { toolCalls: Readonly<Record<string, number>> };
  entries: readonly Money["entries"][number][];
  credits: LooseWork | null;
  tokens: LooseWork | null;
};

export const moneyView = (given: LooseMoney): WrittenAs<typeof moneySchema> => ({
  kind: given.kind,
  price_version: given.priceVersion,
  estimated: given.estimated,
  usage: {
    input_tokens: given.usage.inputTokens,
    output_tokens: given.usage.outputTokens,
    cache_read_tokens: given.usage.cacheReadTokens,
    cache_write_tokens: given.usage.cacheWriteTokens,
    cache_write_1h_tokens: given.usage.cacheWrite1hTokens,
    reasoning_tokens: given.usage.reasoningTokens,
    tool_calls: { ...given.usage.toolCalls },
  },
  credits: given.credits && workView("credit", given.credits),
  tokens: given.tokens && workView("tokens", given.tokens),
  entries: given.entries.map(({ atMs, credits, tokens, ...rest }) => ({
    ...rest,
    at: dateOf(atMs),
    ...liveAmountsView({ credits, tokens }),
  })),
});
