import type { JournalJson, VerificationJson, VerificationsJson } from "../../../contract/books.ts";
import { moreText } from "../../page-options.ts";
import { counted, grouped } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";
import { continuousText } from "./verified-days-text.ts";

export function journalListing(
  { key, account, data, next, opening, ...journal }: JournalJson,
  { after }: { after?: string },
  screen: Screen = PLAIN,
): string {
  const whose = key === null ? (account?.title ?? "") : `${key.prefix}…`;
  if (data.length === 0) return after === undefined ? `No entries for ${whose} yet.` : "No earlier entries.";
  const has = (unit: "credits" | "tokens"): boolean => data.some((entry) => entry[unit] !== null);
  const units = (["credits", "tokens"] as const).filter(has);
  const running = RUNNING[journal.counter_kind ?? "none"];
  const listing = table(
    [
      "TIME",
      "KIND",
      ...units.map((unit) => `>${unit.toUpperCase()}`),
      ...running,
      ...(key === null ? ["=KEY"] : []),
      "MODEL",
      "REQUEST",
      "REFERENCE",
    ],
    data.map((entry) => [
      entry.at,
      entry.kind,
      ...units.map((unit) => entry[unit] ?? "-"),
      ...running.map(() => entry.running ?? "-"),
      ...(key === null ? [entry.key_id ?? "-"] : []),
      entry.model ?? "-",
      entry.request_id ?? "-",
      entry.reference ?? "-",
    ]),
    { screen },
  );
  return `${listing}${ending({ next, opening })}`;
}

/** What the running figure is called; a key or an account without a counter of its own has none. */
const RUNNING = { purse: [">BALANCE"], limit: [">USED"], none: [] } as const;

/** What the reader cannot see in the rows: that there are more, or that some are missing. */
function ending({ next, opening }: Pick<JournalJson, "next" | "opening">): string {
  if (next !== null) return moreText(next);
  if (opening === null || opening === "0") return "";
  return `\n\nThe balance before the oldest entry is ${opening}, and should be 0. Run: tollgate ledger verify`;
}

/** One summary of what was checked and what was found. */
export function verificationText(report: VerificationJson, screen: Screen = PLAIN): string {
  const checked = [
    counted(report.keys, "key"),
    `${grouped(report.counters)} purses and limits`,
    counted(report.charges, "charge"),
    counted(report.fundings, "funding"),
    counted(report.holds, "hold"),
    ...(report.recomputed > 0 ? [counted(report.recomputed, "amount")] : []),
  ].join(", ");
  const aside = quarantineNote(report.quarantined);
  if (report.ok) return `${screen.paint("good", "The ledger is consistent.")} Checked ${checked}.${aside}`;
  const rows = report.mismatches.map((mismatch) => [
    whereOf(mismatch),
    mismatch.column,
    mismatch.expected,
    mismatch.found,
  ]);
  const more = report.truncated ? "\nMore differences are not listed." : "";
  const verdict = screen.paint("bad", `The ledger is not consistent: ${counted(rows.length, "difference")}.`);
  return `${table(["=WHERE", "WHAT", ">EXPECTED", ">FOUND"], rows, { screen })}${more}\n\n${verdict} Checked ${checked}.${aside}`;
}

/** One line each, newest first. */
export function verificationListing({ continuous, whole, recent }: VerificationsJson, screen: Screen = PLAIN): string {
  const summary = continuousText(continuous, screen);
  if (recent.length === 0) return `No verification was asked for yet. Run: tollgate ledger verify\n\n${summary}`;
  const all = whole === null || recent.some(({ id }) => id === whole.id) ? recent : [...recent, whole];
  const rows = all.map((one) => [
    one.started_at,
    one.ok ? "consistent" : `${grouped(one.mismatches)}${one.truncated ? "+" : ""} differ`,
    one.key_id === null ? "whole ledger" : `key ${one.key_id}`,
    grouped(one.charges),
    one.recompute ? "yes" : "no",
    `${grouped(one.took_ms)} ms`,
    one.actor,
  ]);
  return `${table(["=AT", "RESULT", "OF", ">CHARGES", "AMOUNTS", ">TOOK", "BY"], rows, { screen })}\n\n${summary}`;
}

/** A counter is named with whose it is. */
function whereOf({ key_id: key, account_id: account, counter }: VerificationJson["mismatches"][number]): string {
  const whose = key !== null ? `key ${key}` : account !== null ? `account ${account}` : "";
  if (counter === null) return whose;
  return whose === "" ? `counter ${counter}` : `${whose}, counter ${counter}`;
}

/** Money that stays reserved is no mistake in the ledger, and yet the reader must know of it. */
const quarantineNote = (holds: number): string =>
  holds === 0
    ? ""
    : `\n${counted(holds, "hold")} ${holds === 1 ? "is" : "are"} in quarantine; see \`tollgate ledger quarantine list\`.`;
