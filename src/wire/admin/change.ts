import type { CatalogueChange, PartChange, PriceChange } from "../../core/catalogue-change.ts";
import { tariffOf, tariffView, type TariffView } from "../../core/tariff-view.ts";

/** What a change of the catalogue did, as data: amounts as exact decimals, dates as text. */
export type ChangeView =
  | PartChange
  | (Pick<PriceChange, "kind" | "name" | "change" | "version"> & {
      effective_from: string;
      before: TariffView | null;
      after: TariffView | null;
    });

export const changeView = (change: CatalogueChange): ChangeView =>
  change.kind === "price"
    ? {
        kind: change.kind,
        name: change.name,
        change: change.change,
        version: change.version,
        effective_from: new Date(change.effectiveFromMs).toISOString(),
        before: change.before === null ? null : tariffView(change.before),
        after: change.after === null ? null : tariffView(change.after),
      }
    : { kind: change.kind, name: change.name, change: change.change };

export const changeOf = (view: ChangeView): CatalogueChange =>
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
