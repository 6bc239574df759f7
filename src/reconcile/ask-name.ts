import { formatDecimal } from "../core/money/decimal.ts";
import { type BillFinding, findingOf } from "./finding.ts";
import type { AskedName, VendorBill } from "./tally-bills.ts";

/** A name that the map lacks is a question, and the line that answers it belongs in the map. */
export function questionFinding(asked: AskedName, { files }: VendorBill): BillFinding {
  const { vendor, field, name, quantity, usd, lines, place } = asked;
  return findingOf({
    provider: vendor,
    model: name,
    kind: field,
    export: formatDecimal(quantity),
    exportUsd: usd === null ? null : formatDecimal(usd),
    verdict: "unmapped",
    why: `${lines} ${lines === 1 ? "line" : "lines"}, the first at ${place}; the map does not say what it is`,
    add: lineFor(asked),
    exports: files,
  });
}

const VALUES: Readonly<Record<Exclude<AskedName["field"], "provider">, string>> = {
  credentials: "PROVIDER",
  models: "UPSTREAM_MODEL",
  tiers: "TIER",
  regions: "REGION",
  kinds: "KIND",
  names: "{ model: UPSTREAM_MODEL, kind: KIND }",
};

/** As it is written in the map. */
function lineFor({ vendor, field, name }: AskedName): string {
  if (field === "provider") return `${vendor}: { provider: PROVIDER }`;
  return `${vendor}: { ${field}: { ${JSON.stringify(name)}: ${VALUES[field]} } }`;
}
