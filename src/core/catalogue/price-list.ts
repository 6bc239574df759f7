import type { RouteFormat } from "../request/dialect.ts";
import type { Tariff } from "../money/price.ts";

/** A model as somebody's list of prices describes it, in our units. */
export type PriceListModel = {
  id: string;
  /** The name by which its provider knows it. */
  upstreamModel: string;
  dialect: RouteFormat;
  contextWindow: number | null;
  /** Null: of one that makes embeddings. */
  maxOutputTokens: number | null;
  /** Whether it reasons; null: the list does not say so. */
  reasoning: boolean | null;
  tariff: Tariff;
};

/** Why a model of a list is not carried, with the words that an operator reads. */
export const SKIP_REASONS = {
  other_vendor: "of another vendor",
  not_matched: "not matched by --match",
  other_mode: "neither chat, responses nor embedding",
  other_wire: "embeddings that are not asked for as OpenAI's are",
  no_price: "without a price per token",
  free: "priced at 0, which often means unknown (--free carries them)",
  other_units: "also priced by something other than tokens: images, requests, seconds, citations",
  several_prices: "dearer for images, or for whole answers that reason (--dearest carries them at the highest price)",
  search_by_size: "searching on every call, at a price by size, which no call reports",
  no_output_limit: "without a limit of output",
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** Reasons that the operator gave, with --vendor and --match. */
export const isChosen = (reason: SkipReason): boolean => reason === "other_vendor" || reason === "not_matched";

export type SkippedModel = { id: string; reason: SkipReason };

/** Their ids by reason, most first. */
export const skippedByReason = (skipped: readonly SkippedModel[]): { reason: SkipReason; ids: string[] }[] =>
  [...Map.groupBy(skipped, ({ reason }) => reason)]
    .map(([reason, models]) => ({ reason, ids: models.map(({ id }) => id) }))
    .toSorted((one, other) => other.ids.length - one.ids.length);

/** A number that cannot be right. It is named, since somebody has to look at it. */
export type RefusedModel = { id: string; field: string; problem: string };

/** A field of a model that is carried without it. */
export type LeftOut = RefusedModel;

export type PriceList = {
  models: PriceListModel[];
  leftOut: LeftOut[];
  skipped: SkippedModel[];
  refused: RefusedModel[];
};

/** What is taken of a list, and at which factor. `vendor` and `match` are patterns, in which `*` stands for any characters. */
export type PriceListChoice = { vendor: string; match: string; markup: string; free: boolean; dearest: boolean };

/** The day that a list is of, such as 2026-08-01, and how long ago that is. */
export type ListDate = { date: string; ageDays: number };

/** Null: the list of the package, which must be recent unless `acceptOld`. `isChecked`: the list that the settings name, instead. */
export type ListSource = { text: string | null; acceptOld: boolean; isChecked?: boolean };

/**
 * Reads a list, away from the main thread: it has megabytes. Throws a fault where it can't be read, and a conflict where it is
 * too old.
 */
export type ReadPriceList = (
  source: ListSource,
  choice: PriceListChoice,
) => Promise<PriceList & { shipped: ListDate | null }>;
