import type { VerificationsJson } from "../../../contract/books.ts";
import { counted, grouped } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

type Continuous = NonNullable<VerificationsJson["continuous"]>;

/** Up to when gateways have verified the ledger by themselves, in a line. */
export function continuousText(continuous: VerificationsJson["continuous"], screen: Screen = PLAIN): string {
  if (continuous === null) return "This database role cannot read what gateways verify by themselves.";
  const { verified_at: at, mismatches, days, pending } = continuous;
  const differ = screen.paint("bad", `${counted(mismatches, "difference")}. Run: tollgate ledger verifications --days`);
  const verdict = mismatches === 0 ? screen.paint("good", "no difference") : differ;
  const when =
    at === null ? "Gateways have not finished their first round yet" : `Gateways verified everything up to ${at}`;
  return `${when}: ${counted(days, "day")} of charges${pending === 0 ? "" : `, ${grouped(pending)} more in progress`}, ${verdict}`;
}

/** One line for each day, newest first, then what differs. */
export function dayListing({ continuous }: VerificationsJson, screen: Screen = PLAIN): string {
  const summary = continuousText(continuous, screen);
  if (continuous === null || continuous.listed.length === 0) return summary;
  const rows = continuous.listed.map((one) => [
    one.day,
    one.mismatches > 0 ? `${grouped(one.mismatches)} differ` : one.digest === null ? "not yet" : "consistent",
    grouped(one.charges),
    one.looked_at ?? "-",
    `${grouped(one.took_ms)} ms`,
    one.digest?.slice(0, 16) ?? "-",
  ]);
  const days = table(["=DAY", "RESULT", ">FINAL", "LOOKED AT", ">TOOK", "DIGEST"], rows, { screen });
  const differing = differencesOf(continuous);
  const wrong =
    differing.length === 0 ? "" : `\n\n${table(["=WHERE", "WHAT", ">EXPECTED", ">FOUND"], differing, { screen })}`;
  return `${days}${wrong}\n\n${summary}`;
}

const differencesOf = ({ found, listed }: Continuous): string[][] =>
  [{ day: "balances", found }, ...listed].flatMap(({ day, found: differing }) =>
    differing.map((one) => [
      [day, one.key_id === null ? one.account_id && `account ${one.account_id}` : `key ${one.key_id}`]
        .filter(Boolean)
        .join(", "),
      one.column,
      one.expected,
      one.found,
    ]),
  );
