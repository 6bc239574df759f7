import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCosts } from "../../../src/config/reconcile/read-costs.ts";
import { readNameMap } from "../../../src/config/reconcile/read-name-map.ts";
import { readJournalCsv } from "../../../src/reconcile/journal/read-journal-csv.ts";
import { unpacked } from "../../../src/cli/input/unpacked.ts";
import type { SourceFile } from "../../../src/reconcile/read/decode-file.ts";
import { type Reconciliation, reconcile } from "../../../src/reconcile/reconcile.ts";

const FOLDER = join(import.meta.dirname, "../../../examples/reconcile");

/** The example's day, of which every provider has a bill. */
export const DAY = "2026-11-16";

export const textOf = (name: string): string => readFileSync(join(FOLDER, name), "utf8");

/** A file in memory, in pieces of so many bytes. */
export function fileOf(name: string, content: string | Uint8Array, pieceBytes = 65_536): SourceFile {
  const bytes = Buffer.from(content);
  return unpacked({
    name,
    bytes: async function* () {
      for (let at = 0; at < bytes.length; at += pieceBytes)
        yield await Promise.resolve(bytes.subarray(at, at + pieceBytes));
    },
  });
}

export const exampleFile = (name: string): SourceFile => fileOf(name, textOf(name));

type Changed = {
  exports?: readonly SourceFile[];
  journal?: string;
  names?: string;
  /** Null: none. */
  costs?: string | null;
  nowMs?: number;
};

export const EXPORTS = [
  "openai-usage-completions.json",
  "openai-costs.json",
  "anthropic-usage-report.json",
  "anthropic-cost-report.json",
  "aws-cur2.csv",
  "gcp-billing-export.jsonl",
  "azure-cost-details.csv",
  "openrouter-activity.csv",
] as const;
export const SECOND_EXPORTS = [
  "openai-usage-dashboard.csv",
  "anthropic-console-usage.csv",
  "aws-cost-explorer.json",
  "openrouter-activity.json",
] as const;

/** Reconciles the example, with some of it changed. */
export function reconcileExample({ exports, journal, names, costs, nowMs }: Changed = {}): Promise<Reconciliation> {
  const priced = costs === undefined ? textOf("costs.yaml") : costs;
  return reconcile({
    exports: exports ?? EXPORTS.map(exampleFile),
    journal: readJournalCsv(fileOf("journal.csv", journal ?? textOf("journal.csv"))),
    map: readNameMap(names ?? textOf("names.yaml"), "names.yaml"),
    costs: priced === null ? null : readCosts(priced, "costs.yaml"),
    day: DAY,
    nowMs: nowMs ?? Date.parse("2026-11-25T00:00:00Z"),
  });
}
