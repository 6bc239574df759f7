import {
  isChosen,
  type LeftOut,
  type ListDate,
  type PriceList,
  SKIP_REASONS,
  skippedByReason,
} from "../../../core/catalogue/price-list.ts";
import type { ImportedModel } from "../../../core/catalogue/imported-model.ts";
import { importedModel, shippedList, skippedModels } from "../../../contract/catalogue.ts";
import { written } from "../../../wire/validate.ts";
import { factsText } from "./model-text.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

export type ImportReport = {
  compared: readonly ImportedModel[];
  list: PriceList;
  shipped: ListDate | null;
  applied: boolean;
};

export const importView = ({ compared, list, shipped, applied }: ImportReport): object => ({
  applied,
  shipped_list: written(shippedList, shipped),
  models: compared.map((one) => written(importedModel, one)),
  skipped: written(skippedModels, list.skipped),
  left_out: list.leftOut,
  refused: list.refused,
});

const MOST_NAMED = 5;
const MOST_FIELDS = 30;

/** What differs, line by line; what does not, as counts; what was left out, by its reason with the first names. */
export function importText({ compared, list, shipped, applied }: ImportReport, screen: Screen = PLAIN): string {
  const differing = compared.filter(({ change }) => change === "new" || change === "changed");
  const count = (change: ImportedModel["change"]): number => compared.filter((row) => row.change === change).length;
  const rows = differing.map(({ id, change, before, after }) => [change, id, factsText(before, after)]);
  return [
    ...shippedText(shipped),
    ...(rows.length === 0 ? [] : [table(["CHANGE", "MODEL", "CREDITS PER MILLION TOKENS, LIMITS"], rows, { screen })]),
    ...fieldsText("TAKEN WITHOUT", list.leftOut, screen),
    ...fieldsText("REFUSED", list.refused, screen),
    ...skippedText(list.skipped, screen),
    ...foreignText(compared),
    `${count("new")} new, ${count("changed")} changed, ${count("unchanged")} unchanged, ${list.skipped.length} left out, ${list.refused.length} refused`,
    applied ? "Changes written." : "Nothing was changed. Use --apply to write the changes.",
  ].join("\n\n");
}

export const shippedText = (shipped: ListDate | null): string[] =>
  shipped === null ? [] : [`Price list that ships with Tollgate, of ${shipped.date}: ${shipped.ageDays} days ago.`];

function fieldsText(title: string, fields: readonly LeftOut[], screen: Screen): string[] {
  if (fields.length === 0) return [];
  const rows = fields.slice(0, MOST_FIELDS).map(({ id, field, problem }) => [id, field, problem]);
  return [table([title, "FIELD", "WHY"], rows, { screen }), ...moreText(fields.length - rows.length)];
}

function skippedText(skipped: PriceList["skipped"], screen: Screen): string[] {
  if (skipped.length === 0) return [];
  const rows = skippedByReason(skipped).map(({ reason, ids }) => {
    const named = isChosen(reason) ? [] : ids.slice(0, MOST_NAMED);
    const more = named.length === 0 || named.length === ids.length ? "" : ", …";
    return [String(ids.length), SKIP_REASONS[reason], `${named.join(", ")}${more}`];
  });
  const unnamed = skippedByReason(skipped).some(({ ids }) => ids.length > MOST_NAMED);
  return [
    table([">LEFT OUT", "WHY", "MODELS"], rows, { screen }),
    ...(unnamed ? ["Add --json to name every model that is left out."] : []),
  ];
}

const moreText = (count: number): string[] => (count === 0 ? [] : [`${count} more; add --json to see all.`]);

function foreignText(compared: readonly ImportedModel[]): string[] {
  const ids = compared.filter(({ change }) => change === "foreign").map(({ id }) => id);
  return ids.length === 0 ? [] : [`Models of another provider or kind, left unchanged: ${ids.join(", ")}`];
}
