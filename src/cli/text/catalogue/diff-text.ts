import type { ModelDifference } from "../../../core/catalogue/list-differences.ts";
import { shippedList, skippedModels } from "../../../contract/catalogue.ts";
import { written } from "../../../wire/validate.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";
import { type ImportReport, shippedText } from "./import-text.ts";

/** What a list would change of the models in the catalogue, as data. */
export const diffView = (
  { compared, list, shipped }: ImportReport,
  differences: readonly ModelDifference[],
): object => ({
  shipped_list: written(shippedList, shipped),
  differences,
  not_in_catalogue: compared.filter(({ change }) => change === "new").map(({ id }) => id),
  skipped: written(skippedModels, list.skipped),
  left_out: list.leftOut,
  refused: list.refused,
});

/** The same for a person: a line for each field, as it is in force and as the list has it. */
export function diffText(
  { compared, list, shipped }: ImportReport,
  differences: readonly ModelDifference[],
  screen: Screen = PLAIN,
): string {
  const rows = differences.flatMap(({ id, fields }) =>
    fields.map(({ field, before, after, factor }) => [id, field, before ?? "none", after ?? "none", factor ?? ""]),
  );
  const count = (wanted: string): number => compared.filter(({ change }) => change === wanted).length;
  return [
    ...shippedText(shipped),
    ...(rows.length === 0 ? [] : [table(["MODEL", "FIELD", ">IN FORCE", ">LIST", ">FACTOR"], rows, { screen })]),
    `${differences.length} of the catalogue's models differ in ${rows.length} fields, ${count("unchanged")} are as in the list, ${count("new")} of the list are not in the catalogue, ${list.skipped.length + list.refused.length} are left out`,
    "Nothing was changed.",
  ].join("\n\n");
}
