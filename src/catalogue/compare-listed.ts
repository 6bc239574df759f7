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
} from "../core/money/price.ts";
import { tariffFault } from "../core/money/rate-rows.ts";
import { wordOnReasoning } from "./can-reason.ts";
import type { ImportOrder, Model } from "./model.ts";

type Listed = ImportOrder["models"][number];

export type Comparison = ImportedModel & { listed: Listed; after: { tariff: Tariff } };

/**
 * What a list makes of a model. What the list does not say stays: prices of a cache or a tool that somebody set, and the
 * operator's own limit of output. So does the operator's own word on reasoning.
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
    tariff: wholeTariff(mergeTariff(price, saidIn(listed.tariff)) ?? listed.tariff),
  };
  if (model.provider !== provider) return { id, change: "foreign", before, after, listed };
  const isSame =
    before.contextWindow === after.contextWindow &&
    before.maxOutputTokens === after.maxOutputTokens &&
    before.reasoning === after.reasoning &&
    price !== null &&
    sameTariff(price, after.tariff);
  return { id, change: isSame ? "unchanged" : "changed", before, after, listed };
}

const saidIn = (tariff: Tariff): TariffParts => ({
  ...byPart(NEEDED_PARTS, (part) => tariff[part]),
  ...onlySaid(byPart(OPTIONAL_PARTS, (part) => tariff[part] ?? undefined)),
  toolCallNano: tariff.toolCallNano,
  when: tariff.when ?? [],
});

/** A part that the list does not know, such as the operator's own price of a cache, is missing in its lines: those are not sold then. */
function wholeTariff(tariff: Tariff): Tariff {
  const [first] = tariff.when ?? [];
  if (first === undefined || tariffFault(tariff) === null) return tariff;
  return { ...tariff, when: [{ when: first.when, nano: {}, toolCallNano: {}, times: null, sold: false }] };
}
