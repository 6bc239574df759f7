import type { ImportedModel, ListedFacts } from "../../core/imported-model.ts";
import { tariffOf, tariffView, type TariffView } from "../../core/tariff-view.ts";

/** What an import makes of a model, in the words of the catalogue file. */
export type ImportedModelView = Pick<ImportedModel, "id" | "change"> & { before: FactsView | null; after: FactsView };

type FactsView = { context_window: number | null; max_output_tokens: number | null; price: TariffView | null };

export const importedModelView = ({ id, change, before, after }: ImportedModel): ImportedModelView => ({
  id,
  change,
  before: before === null ? null : factsView(before),
  after: factsView(after),
});

export const importedModelOf = ({ id, change, before, after }: ImportedModelView): ImportedModel => ({
  id,
  change,
  before: before === null ? null : factsOf(before),
  after: factsOf(after),
});

const factsView = ({ contextWindow, maxOutputTokens, tariff }: ListedFacts): FactsView => ({
  context_window: contextWindow,
  max_output_tokens: maxOutputTokens,
  price: tariff === null ? null : tariffView(tariff),
});

const factsOf = (view: FactsView): ListedFacts => ({
  contextWindow: view.context_window,
  maxOutputTokens: view.max_output_tokens,
  tariff: view.price === null ? null : tariffOf(view.price),
});
