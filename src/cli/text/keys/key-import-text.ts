import type { LitellmKey, SkippedKey } from "../../../config/litellm/read-keys.ts";
import { formatCredits } from "../../../core/money/money.ts";
import { grouped, printable } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

/** One key of a list and what became of it. */
export type ImportedKey = LitellmKey & {
  credit: bigint;
  outcome: "planned" | "created" | "present" | "refused";
  /** Of a key that was created. */
  prefix: string | null;
  problem: string | null;
};

export type KeyImportReport = { rows: readonly ImportedKey[]; skipped: readonly SkippedKey[]; applied: boolean };

export const keyImportView = ({ rows, skipped, applied }: KeyImportReport): object => ({
  applied,
  keys: rows.map((row) => ({
    source: row.source,
    outcome: row.outcome,
    prefix: row.prefix,
    label: row.label,
    models: row.models,
    rpm_limit: row.rpmLimit,
    expires_at: row.expiresAtMs === null ? null : new Date(row.expiresAtMs).toISOString(),
    credit: formatCredits(row.credit),
    problem: row.problem,
    not_carried: row.notes,
  })),
  skipped,
});

export function keyImportText({ rows, skipped, applied }: KeyImportReport, screen: Screen = PLAIN): string {
  const count = (outcome: ImportedKey["outcome"]): number => rows.filter((row) => row.outcome === outcome).length;
  const listing = rows.map((row) => [
    row.source,
    row.outcome,
    row.prefix ?? "-",
    printable(row.label ?? "-"),
    row.models?.join(", ") ?? "all",
    grouped(formatCredits(row.credit)),
  ]);
  const losses = rows.flatMap(({ source, notes, problem }) => [
    ...(problem === null ? [] : [[source, `refused: ${problem}`]]),
    ...notes.map((note) => [source, note]),
  ]);
  const left = skipped.map(({ source, label, reason }) => [source, printable(label ?? "-"), reason]);
  return [
    table(["SOURCE", "RESULT", "=PREFIX", "LABEL", "MODELS", ">CREDITS"], listing, { screen }),
    ...(losses.length === 0 ? [] : [table(["SOURCE", "NOT CARRIED"], losses, { screen })]),
    ...(left.length === 0 ? [] : [table(["SKIPPED", "LABEL", "WHY"], left, { screen })]),
    applied
      ? `${count("created")} created, ${count("present")} already there, ${count("refused")} refused, ${skipped.length} skipped`
      : `${rows.length} keys to create, ${skipped.length} skipped`,
    applied
      ? "Clients keep their secrets. Set keys.accept_foreign to on where the gateway runs."
      : "Nothing was changed. Use --apply to create the keys.",
  ].join("\n\n");
}
