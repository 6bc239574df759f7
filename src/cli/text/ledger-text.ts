import type { JournalJson, VerificationJson } from "../../wire/admin/books.ts";
import { moreText } from "../page-options.ts";
import { counted } from "./cell.ts";
import { PLAIN, type Screen } from "./screen.ts";
import { table } from "./table.ts";

export function journalListing(
  { key, unit, data, next, opening }: JournalJson,
  { after }: { after?: string },
  screen: Screen = PLAIN,
): string {
  if (data.length === 0) return after === undefined ? `No entries for ${key.prefix}… yet.` : "No earlier entries.";
  const listing = table(
    ["TIME", "KIND", ">AMOUNT", unit === "credit" ? ">BALANCE" : ">USED", "MODEL", "REQUEST", "REFERENCE"],
    data.map((entry) => [
      entry.at,
      entry.kind,
      entry.amount,
      entry.running ?? "-",
      entry.model ?? "-",
      entry.request_id ?? "-",
      entry.reference ?? "-",
    ]),
    { screen },
  );
  return `${listing}${ending({ next, opening })}`;
}

/** What the reader cannot see in the rows: that there are more, or that some are missing. */
function ending({ next, opening }: Pick<JournalJson, "next" | "opening">): string {
  if (next !== null) return moreText(next);
  if (opening === null || opening === "0") return "";
  return `\n\nThe balance before the oldest entry is ${opening}. Charges whose usage records were deleted are not listed.`;
}

/** One summary of what was checked and what was found. */
export function verificationText(report: VerificationJson, screen: Screen = PLAIN): string {
  const checked = [
    counted(report.keys, "key"),
    counted(report.charges, "charge"),
    counted(report.fundings, "funding"),
    counted(report.holds, "hold"),
    counted(report.usage_records, "usage record"),
  ].join(", ");
  const aside = quarantineNote(report.quarantined);
  if (report.ok) return `${screen.paint("good", "The ledger is consistent.")} Checked ${checked}.${aside}`;
  const rows = report.mismatches.map(({ key_id: id, column, expected, found }) => [id, column, expected, found]);
  const more = report.truncated ? "\nMore differences are not listed." : "";
  const verdict = screen.paint("bad", `The ledger is not consistent: ${counted(rows.length, "difference")}.`);
  return `${table(["=KEY", "WHAT", ">EXPECTED", ">FOUND"], rows, { screen })}${more}\n\n${verdict} Checked ${checked}.${aside}`;
}

/** Money that stays reserved is no mistake in the ledger, and yet the reader must know of it. */
const quarantineNote = (holds: number): string =>
  holds === 0
    ? ""
    : `\n${counted(holds, "hold")} ${holds === 1 ? "is" : "are"} in quarantine; see \`tollgate ledger quarantine list\`.`;
