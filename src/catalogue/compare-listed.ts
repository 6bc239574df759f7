import type { ImportedModel, ListedFacts } from "../core/catalogue/imported-model.ts";
import {
  byPart,
  mergeTariff,
  NEEDED_PARTS,
  onlySaid,
  OPTIONAL_PARTS,
  sameTariff,
  type Tariff,
  type TariffParts,
  whenOf,
} from "../core/money/price.ts";
import { tariffFault } from "../core/money/rate-rows.ts";
import { isEmbedding } from "../core/request/dialect.ts";
import { wordOnReasoning } from "./can-reason.ts";
import { embeds } from "./embeds.ts";
import type { ImportOrder, Model } from "./model.ts";

type Listed = ImportOrder["models"][number];

export type Comparison = ImportedModel & { listed: Listed; after: { tariff: Tariff } };

/**
 * What a list makes of a model. What the list does not say stays: prices of a cache or a tool that somebody set, lines where the list has
 * none, and the operator's own limit of output. So does the operator's own word on reasoning.
 */
export function compareListed(
  listed: Listed,
  { provider, model, price }: { provider: string; model: Model | null; price: Tariff | null },
): Comparison {
  const { id, contextWindow, maxOutputTokens, reasoning } = listed;
  if (model === null)
    return {
      id,
      change: "new",
      before: null,
      after: { contextWindow, maxOutputTokens, reasoning, tariff: listed.tariff },
      listed,
    };
  const before: ListedFacts = {
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    reasoning: wordOnReasoning(model),
    tariff: price,
  };
  const after = {
    contextWindow: contextWindow ?? model.contextWindow,
    maxOutputTokens: model.outputCeiling === null ? maxOutputTokens : null,
    reasoning: before.reasoning ?? reasoning,
    tariff: wholeTariff(mergeTariff(price, saidIn(listed)) ?? listed.tariff) ?? price ?? listed.tariff,
  };
  if (model.provider !== provider || isOfOtherKind(model, listed))
    return { id, change: "foreign", before, after, listed };
  const isSame =
    before.contextWindow === after.contextWindow &&
    before.maxOutputTokens === after.maxOutputTokens &&
    before.reasoning === after.reasoning &&
    price !== null &&
    sameTariff(price, after.tariff);
  return { id, change: isSame ? "unchanged" : "changed", before, after, listed };
}

/** The list means another model of that name: what makes embeddings has no price of output, and answers would be given away by it. */
const isOfOtherKind = (model: Model, { dialect }: Listed): boolean =>
  model.routes.length > 0 && embeds(model) !== isEmbedding(dialect);

const saidIn = ({ dialect, tariff }: Listed): TariffParts => ({
  ...byPart(isEmbedding(dialect) ? ["inputNano"] : NEEDED_PARTS, (part) => tariff[part]),
  ...onlySaid(byPart(OPTIONAL_PARTS, (part) => tariff[part] ?? undefined)),
  toolCallNano: tariff.toolCallNano,
  ...whenOf(tariff.when),
});

/**
 * Lines lack a part that is the operator's own, or theirs one that the list has: what they hold for is not sold then. Null: not even that
 * makes a price, as where a line has hours, so that the one in force stays.
 */
function wholeTariff(tariff: Tariff): Tariff | null {
  if (tariffFault(tariff) === null) return tariff;
  const unsold = { nano: {}, toolCallNano: {}, times: null, sold: false };
  const without = { ...tariff, ...whenOf(tariff.when?.map(({ when }) => ({ ...unsold, when }))) };
  return tariffFault(without) === null ? without : null;
}
