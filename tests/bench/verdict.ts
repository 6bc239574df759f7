import type { Crossing } from "./crossings.ts";
import { cellIn, type Sheet } from "./sheet.ts";
import { TOLLGATE } from "./subject.ts";

/** Plain requests pay for two calls to the ledger each; a stream shares them among its events. */
const LEAST_OF_BARE: Record<string, number> = { plain: 0.4, stream: 0.85 };
/** Two runs of the same code differ by less than this. */
const LEAST_OF_BEFORE = 0.97;
const LEAST_OF_RELAYED = 0.6;

export type Miss = { kind: string; ratio: number | null; of: string; least: number };

/**
 * The demands that were measured and not met. What counts is the lower of two ratios: of the rates, and of the processor
 * time per operation. Where the load was the limit, both rates are the same, and only the second one can tell.
 */
export function missesOf(sheets: readonly Sheet[]): Miss[] {
  return sheets.flatMap((sheet) => {
    const rate = cellIn(sheet, TOLLGATE, "rate");
    const cpu = cellIn(sheet, TOLLGATE, "cpu");
    if (rate === undefined || cpu === undefined) return [];
    const leastOfBare = LEAST_OF_BARE[sheet.id];
    const lower = (of: "ofBare" | "ofBefore"): number | null => {
      const medians = [rate[of]?.median ?? null, cpu[of]?.median ?? null];
      return medians.includes(null) ? null : Math.min(...medians.map((median) => median ?? 0));
    };
    const demands: Miss[] = [];
    if (leastOfBare !== undefined)
      demands.push({ kind: sheet.id, ratio: lower("ofBare"), of: "the bare proxy", least: leastOfBare });
    if (rate.ofBefore !== null)
      demands.push({ kind: sheet.id, ratio: lower("ofBefore"), of: "the version before", least: LEAST_OF_BEFORE });
    return demands.filter(({ ratio, least }) => ratio === null || ratio < least);
  });
}

/** Translated streams are held against streams of the caller's format that are relayed. */
export function missesAmong(crossings: readonly Crossing[]): Miss[] {
  return crossings.flatMap(({ client, provider, ofRelayed }) =>
    ofRelayed === null || ofRelayed.lower >= LEAST_OF_RELAYED
      ? []
      : [
          {
            kind: `${client} from ${provider}`,
            ratio: ofRelayed.lower,
            of: "a relayed stream",
            least: LEAST_OF_RELAYED,
          },
        ],
  );
}
