import type { ClientDialect } from "../request/dialect.ts";
import type { Tariff } from "../money/price.ts";

/** A model as somebody's list of prices describes it, in our units. */
export type PriceListModel = {
  id: string;
  /** The name by which its provider knows it. */
  upstreamModel: string;
  dialect: ClientDialect;
  contextWindow: number | null;
  maxOutputTokens: number;
  /** Whether it reasons; null: the list does not say so. */
  reasoning: boolean | null;
  tariff: Tariff;
};

/** Why a model of a list is not carried, with the words that an operator reads. */
export const SKIP_REASONS = {
  other_vendor: "of another vendor",
  not_matched: "not matched by --match",
  other_mode: "neither chat nor responses",
  no_price: "without a price per token",
  free: "priced at 0, which often means unknown (--free carries them)",
  other_units: "also priced by something other than tokens: images, requests, seconds, citations",
  several_prices: "dearer for images, or for whole answers that reason (--dearest carries them at the highest price)",
  search_by_size: "searching on every call, at a price by size, which no call reports",
  no_output_limit: "without a limit of output",
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** A number that cannot be right. It is named, since somebody has to look at it. */
export type RefusedModel = { id: string; field: string; problem: string };

/** A field of a model that is carried without it. */
export type LeftOut = RefusedModel;

export type PriceList = {
  models: PriceListModel[];
  leftOut: LeftOut[];
  skipped: Partial<Record<SkipReason, number>>;
  refused: RefusedModel[];
};

/** What is taken of a list, and at which factor. `vendor` and `match` are patterns, in which `*` stands for any characters. */
export type PriceListChoice = { vendor: string; match: string; markup: string; free: boolean; dearest: boolean };

/** Reads the text of a list, away from the main thread: it has megabytes. Throws a fault where it can't be read. */
export type ReadPriceList = (text: string, choice: PriceListChoice) => Promise<PriceList>;
