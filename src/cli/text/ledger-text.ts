import type { JournalJson, VerificationJson } from "../../wire/admin/books.ts";
import { moreText } from "../page-options.ts";
import { PLAIN, type Screen } from "./screen.ts";
import { table } from "./table.ts";

export function journalListing(
  { key, unit, data, next, opening }: JournalJson,
  { after }: { after?: string },
  screen: Screen = PLAIN,
): string {
  if (data.length === 0)
    return after === undefined ? `nothing was ever booked to ${key.prefix}…` : "nothing was booked before that";
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
  return `\n\nThe balance before the oldest entry is ${opening}: charges whose usage records are gone are not listed.`;
}

export function verificationText(report: VerificationJson, screen: Screen = PLAIN): string {
  const { keys, holds, charges, fundings, usage_records: records } = report;
  const looked = `${keys} keys, ${charges} charges, ${fundings} fundings, ${holds} holds, ${records} usage records`;
  const aside = quarantineNote(report.quarantined);
  if (report.ok) return `the books add up: ${looked}${aside}`;
  const rows = report.mismatches.map(({ key_id: id, column, expected, found }) => [id, column, expected, found]);
  const more = report.truncated ? "\nand more than are listed here" : "";
  return `${table(["=KEY", "WHAT", ">EXPECTED", ">FOUND"], rows, { screen })}${more}\n\nthe books do not add up: ${rows.length} mismatches in ${looked}${aside}`;
}

/** Money that stays reserved is no mistake in the books, and yet the reader must know of it. */
const quarantineNote = (holds: number): string =>
  holds === 0
    ? ""
    : `\n${holds} of the holds ${holds === 1 ? "is" : "are"} in quarantine; see \`tollgate ledger quarantine list\``;
