import type { CatalogueChange } from "../../catalogue/model.ts";
import { tariffView } from "../../core/tariff-view.ts";

/** A change as data: amounts as exact decimals, dates as text. */
export const changeView = (change: CatalogueChange) =>
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
