import { type PriceList, SKIP_REASONS, type SkipReason } from "../../../core/catalogue/price-list.ts";
import type { ImportedModel } from "../../../core/catalogue/imported-model.ts";
import { importedModel } from "../../../contract/catalogue.ts";
import { written } from "../../../wire/validate.ts";
import { factsText } from "./model-text.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts, table } from "../table.ts";

export type ImportReport = { compared: readonly ImportedModel[]; list: PriceList; applied: boolean };

export const importView = ({ compared, list, applied }: ImportReport): object => ({
  applied,
  models: compared.map((one) => written(importedModel, one)),
  skipped: list.skipped,
  left_out: list.leftOut,
  refused: list.refused,
});

/** What differs, line by line; what does not, and what was left out, as counts. */
export function importText({ compared, list, applied }: ImportReport, screen: Screen = PLAIN): string {
  const differing = compared.filter(({ change }) => change === "new" || change === "changed");
  const count = (change: ImportedModel["change"]): number => compared.filter((row) => row.change === change).length;
  const rows = differing.map(({ id, change, before, after }) => [change, id, factsText(before, after)]);
  const [leftOut, refused] = [list.leftOut, list.refused].map((fields) =>
    fields.map(({ id, field, problem }) => [id, field, problem]),
  ) as [string[][], string[][]];
  const skipped = Object.entries(list.skipped) as [SkipReason, number][];
  return [
    ...(rows.length === 0 ? [] : [table(["CHANGE", "MODEL", "CREDITS PER MILLION TOKENS, LIMITS"], rows, { screen })]),
    ...(leftOut.length === 0 ? [] : [table(["TAKEN WITHOUT", "FIELD", "WHY"], leftOut, { screen })]),
    ...(refused.length === 0 ? [] : [table(["REFUSED", "FIELD", "WHY"], refused, { screen })]),
    ...(skipped.length === 0
      ? []
      : [
          facts(
            "Skipped",
            skipped.map(([reason, models]) => [String(models), SKIP_REASONS[reason]]),
            screen,
          ),
        ]),
    ...foreignText(compared),
    `${count("new")} new, ${count("changed")} changed, ${count("unchanged")} unchanged, ${list.refused.length} refused`,
    applied ? "Changes written." : "Nothing was changed. Use --apply to write the changes.",
  ].join("\n\n");
}

function foreignText(compared: readonly ImportedModel[]): string[] {
  const ids = compared.filter(({ change }) => change === "foreign").map(({ id }) => id);
  return ids.length === 0 ? [] : [`Models of another provider, left unchanged: ${ids.join(", ")}`];
}
