import { tariffOf, type TariffView } from "../core/tariff-view.ts";
import type { Catalogue } from "./operator-control.ts";

type Change = Awaited<ReturnType<Catalogue["apply"]>>[number];
type ImportedModel = Awaited<ReturnType<Catalogue["importModels"]>>[number];
type Facts = ImportedModel["after"];

export type ChangeView =
  | Exclude<Change, { kind: "price" }>
  | {
      kind: "price";
      name: string;
      change: "added" | "changed" | "withdrawn";
      version: number;
      effective_from: string;
      before: TariffView | null;
      after: TariffView | null;
    };

export const changeOf = (view: ChangeView): Change =>
  view.kind === "price"
    ? {
        kind: view.kind,
        name: view.name,
        change: view.change,
        version: view.version,
        effectiveFromMs: Date.parse(view.effective_from),
        before: view.before === null ? null : tariffOf(view.before),
        after: view.after === null ? null : tariffOf(view.after),
      }
    : view;

type FactsView = { context_window: number | null; max_output_tokens: number | null; price: TariffView | null };

export type ImportedModelView = {
  id: string;
  change: ImportedModel["change"];
  before: FactsView | null;
  after: FactsView;
};

export const importedModelOf = ({ id, change, before, after }: ImportedModelView): ImportedModel => ({
  id,
  change,
  before: before === null ? null : factsOf(before),
  after: factsOf(after),
});

const factsOf = (view: FactsView): Facts => ({
  contextWindow: view.context_window,
  maxOutputTokens: view.max_output_tokens,
  tariff: view.price === null ? null : tariffOf(view.price),
});
