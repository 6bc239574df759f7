import { counted, printable } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

/** One row of a list of accounts and what became of it, or would. */
export type ImportedAccount = {
  line: number;
  path: string;
  account: "created" | "present";
  limit: "set" | "present" | "none";
  key: "created" | "present" | "none";
  /** Of a key that was made. */
  prefix: string | null;
  problem: string | null;
};

/** What a row would do, in the words of a plan. */
const PLANNED: Readonly<Record<string, string>> = { created: "to create", set: "to set" };

type Report = { rows: readonly ImportedAccount[]; applied: boolean; secrets: string | null };

export function importedAccountsText({ rows, applied, secrets }: Report, screen: Screen = PLAIN): string {
  const refused = rows.filter(({ problem }) => problem !== null);
  const fine = rows.filter(({ problem }) => problem === null);
  const [accounts, limits, keys] = [
    fine.filter(({ account }) => account === "created").length,
    fine.filter(({ limit }) => limit === "set").length,
    fine.filter(({ key }) => key === "created").length,
  ];
  const listing = table(
    [">ROW", "ACCOUNT", "IS", "LIMIT", "KEY", "=PREFIX"],
    rows.map(({ line, path, account, limit, key, prefix }) => [
      String(line),
      printable(path),
      ...[account, limit, key].map((word) => (applied ? word : (PLANNED[word] ?? word))),
      prefix ?? "-",
    ]),
    { screen },
  );
  const sum = `${counted(accounts, "account")} created, ${counted(limits, "limit")} set, ${counted(keys, "key")} created`;
  return [
    listing,
    ...refused.map(({ line, problem }) => `row ${line}: ${printable(problem ?? "")}`),
    applied
      ? `${sum}${refused.length === 0 ? "" : `, ${counted(refused.length, "row")} refused`}.`
      : `${sum.replaceAll("created", "to create").replace("set", "to set")}. Nothing was changed. Use --apply to do it.`,
    ...(applied && keys > 0 && secrets !== null
      ? [`The secrets are in ${printable(secrets)}, which you alone can read. They won't be shown again.`]
      : []),
  ].join("\n\n");
}
