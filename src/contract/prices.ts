import { z } from "zod";
import { isObject } from "../core/bytes/is-object.ts";
import { byWord, NEEDED_PARTS, OPTIONAL_PARTS, type Tariff } from "../core/money/price.ts";
import type { ManageCatalogue } from "../operator/catalogue.ts";
import { instant } from "../wire/instant.ts";
import {
  credits,
  effectiveFromIn,
  EXACT,
  requestedLines,
  shownLines,
  tariffOf,
  tariffPartsOf,
  tariffPartsView,
  tariffView,
  toolPrices,
} from "../wire/catalogue/price.ts";

type BookedPrice = Awaited<ReturnType<ManageCatalogue["listPrices"]>>["data"][number];
type Price = Omit<BookedPrice, "withdrawnAtMs" | "suspendedFor">;

/** Parts of a price by their amount; null takes one away, and what is not named stays. */
export const priceChange = z.codec(
  z
    .strictObject({
      effective_from: effectiveFromIn(EXACT),
      ...byWord(NEEDED_PARTS, () => credits.exactOptional()),
      ...byWord(OPTIONAL_PARTS, () => credits.nullable().exactOptional()),
      tools: toolPrices(credits.nullable()).exactOptional(),
      when: requestedLines.exactOptional(),
    })
    .refine((change) => Object.keys(change).length > 1, "Set at least one price, such as input"),
  z.custom<Parameters<ManageCatalogue["changePrice"]>[1]>(),
  {
    decode: ({ effective_from: fromMs, ...parts }) => ({ fromMs, parts: tariffPartsOf(parts) }),
    encode: ({ fromMs, parts }) => ({ effective_from: fromMs, ...tariffPartsView(parts) }),
  },
);

const amount = z.string();

/** Credits per million tokens, and per call of a tool, as exact decimals. */
const amounts = {
  ...byWord(NEEDED_PARTS, () => amount),
  ...byWord(OPTIONAL_PARTS, () => amount.nullable()),
  tools: z.record(z.string(), amount),
  when: shownLines.exactOptional(),
};

export const tariff = z.codec(z.object(amounts).meta({ id: "Tariff" }), z.custom<Tariff>(isObject), {
  decode: tariffOf,
  encode: tariffView,
});

const dated = { version: z.int(), effective_from: instant, ...amounts };

export const price = z.codec(z.object(dated).meta({ id: "Price" }), z.custom<Price>(), {
  decode: ({ version, effective_from: effectiveFromMs, ...parts }) => ({
    version,
    effectiveFromMs,
    ...tariffOf(parts),
  }),
  encode: ({ version, effectiveFromMs, ...parts }) => ({
    version,
    effective_from: effectiveFromMs,
    ...tariffView(parts),
  }),
});

export const bookedPrice = z.codec(
  z
    .object({
      ...dated,
      withdrawn_at: instant.nullable().describe("When it was withdrawn before taking effect; null: it was not."),
      suspended_for: z
        .string()
        .nullable()
        .describe("Usage that this price does not cover and that suspended the model; null: none."),
    })
    .meta({ id: "BookedPrice" }),
  z.custom<BookedPrice>(),
  {
    decode: ({ version, effective_from, withdrawn_at, suspended_for, ...parts }) => ({
      version,
      effectiveFromMs: effective_from,
      withdrawnAtMs: withdrawn_at,
      suspendedFor: suspended_for,
      ...tariffOf(parts),
    }),
    encode: ({ version, effectiveFromMs, withdrawnAtMs, suspendedFor, ...parts }) => ({
      version,
      effective_from: effectiveFromMs,
      withdrawn_at: withdrawnAtMs,
      suspended_for: suspendedFor,
      ...tariffView(parts),
    }),
  },
);
