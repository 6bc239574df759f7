import { z } from "zod";
import { formatAmount, parseAmount, type Unit } from "../core/money/amount.ts";
import { TARIFF_PARTS, wordOf } from "../core/money/price.ts";
import { amountIn } from "../wire/admin/amount-in.ts";
import { instant } from "../wire/instant.ts";
import { renamed } from "../wire/codec.ts";

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

const PART_WORDS = TARIFF_PARTS.map((part) => `\`${wordOf(part)}\``);

const lineJson = renamed(
  z
    .object({
      what: z
        .string()
        .meta({ examples: ["input"] })
        .describe(`${PART_WORDS.join(", ")}, or \`tools.\` and a tool.`),
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
    .meta({ id: "PriceLine" }),
  { unitPrice: "unit_price", millionths: "amount" },
);

const priceLine = (unit: Unit) =>
  z.codec(lineJson, z.custom<{ what: string; count: bigint; unitPrice: bigint; millionths: bigint }>(), {
    decode: ({ what, count, unitPrice, millionths }) => ({
      what,
      count: BigInt(count),
      unitPrice: parseAmount(unit, unitPrice) ?? 0n,
      millionths: millionthsOf(unit, millionths),
    }),
    encode: ({ what, count, unitPrice, millionths }) => ({
      what,
      count: String(count),
      unitPrice: formatAmount(unit, unitPrice),
      millionths: exactly(unit, millionths),
    }),
  });

const work = (unit: Unit) =>
  z
    .object({
      lines: z.array(priceLine(unit)).describe("What was counted, each with its price."),
      sum: amountIn(unit).nullable().describe("The lines added up and rounded once; null: the price is not known."),
      charged: amountIn(unit).describe("What the journal says."),
      gap: z
        .enum(PRICE_GAPS)
        .nullable()
        .describe(
          "Why `charged` is not `sum`; null: it is. `provider_failed`: failures are free. `voided`: the charge could not be confirmed. `estimated`: counts of the gateway cost at most what was reserved. `absorbed`: the operator pays the rest. `no_price`: the price is gone.",
        ),
    })
    .meta({ id: unit === "credit" ? "CreditArithmetic" : "TokenArithmetic" });

const entry = renamed(
  z
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
    .meta({ id: "RequestLedgerEntry" }),
  { atMs: "at" },
);

const usage = renamed(
  z
    .object({
      input_tokens: z.int(),
      output_tokens: z.int(),
      cache_read_tokens: z.int(),
      cache_write_tokens: z.int(),
      cache_write_1h_tokens: z.int(),
      reasoning_tokens: z.int(),
      tool_calls: z.record(z.string(), z.int()),
    })
    .meta({ id: "RequestUsage" }),
  {
    inputTokens: "input_tokens",
    outputTokens: "output_tokens",
    cacheReadTokens: "cache_read_tokens",
    cacheWriteTokens: "cache_write_tokens",
    cacheWrite1hTokens: "cache_write_1h_tokens",
    reasoningTokens: "reasoning_tokens",
    toolCalls: "tool_calls",
  },
);

/** The money of a request: what was counted, how the charge was made of it, and the rows of the ledger. */
export const requestMoney = renamed(
  z
    .object({
      kind: z.string().describe("How the ledger recorded its end: `completed`, `client_gone`, `upstream_failed`, …"),
      price_version: z.int().nullable(),
      estimated: z.boolean().describe("The counts are the gateway's: the provider sent none, or impossible ones."),
      usage: usage.describe("What was counted. Parts of input and output are included in these."),
      credits: work("credit").nullable().describe("Null: nothing counts in credits."),
      tokens: work("tokens").nullable().describe("Null: nothing counts in tokens."),
      entries: z.array(entry).describe("What the ledger has about the request, oldest first."),
    })
    .meta({ id: "RequestMoney" }),
  { priceVersion: "price_version" },
);
