import type { Tariff } from "./price.ts";
import { tariffOf, tariffView, type TariffView } from "./tariff-view.ts";

/** What a price list can say of a model. */
export type ListedFacts = { contextWindow: number | null; maxOutputTokens: number | null; tariff: Tariff | null };

/** What an import makes of a model. `foreign`: another provider's model has that name here, and it is left alone. */
export type ImportedModel = {
  id: string;
  change: "new" | "changed" | "unchanged" | "foreign";
  before: ListedFacts | null;
  after: ListedFacts;
};

/** The same in the words of the catalogue file. */
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
