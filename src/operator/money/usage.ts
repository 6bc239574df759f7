import type { By } from "../../core/people/by.ts";
import { Fault, fieldFault } from "../../core/fault.ts";
import type { ReadStatement, Statement } from "../../ledger/report/statement.ts";
import type { UsageGroup } from "../../core/money/usage-group.ts";
import type { ReportUsage, UsageOf } from "../../ledger/report/usage-report.ts";
import { type Holder, type HolderNames, type NamedHolder, nameHolder } from "../find/holder.ts";

/** What was used, and by whom: both null are everybody. */
export type UsageReport = UsageOf & NamedHolder;
export type NamedStatement = Statement & { account: { id: string; title: string } };

/** What was used in the last days, today included. */
export type AskedReport = { days: number; by: UsageGroup };

export type ReportToOperators = {
  /** Null: of everybody. */
  report: (of: Holder | null, asked: AskedReport, by?: Pick<By, "within">) => Promise<UsageReport>;
  /** What an account was paid, what the keys below it used, and what was given back, in a month of UTC such as 2026-11. */
  statement: (account: string, month: string) => Promise<NamedStatement>;
};

type Parts = HolderNames & { reportUsage: ReportUsage; readStatement: ReadStatement };

export const createReportToOperators = ({ reportUsage, readStatement, ...names }: Parts): ReportToOperators => ({
  report: async (holder, { days, by }, { within } = {}) => {
    const of = holder ?? theirs(within);
    if (of === null) return { key: null, account: null, ...(await reportUsage({ scope: { kind: "all" }, days, by })) };
    const { kind, id, named } = await nameHolder(names, of);
    return { ...named, ...(await reportUsage({ scope: { kind, id }, days, by })) };
  },
  statement: async (name, month) => {
    const { id, title } = await names.findAccount(name);
    const statement = await readStatement(id, month);
    if (statement === null) throw fieldFault("month", "Input should be a month that has begun, such as 2026-11");
    return { account: { id, title }, ...statement };
  },
});

/** All that a lead may see is what is below their account; null: everything. */
function theirs(within: readonly string[] | undefined): Holder | null {
  const [name, ...others] = within ?? [];
  if (name === undefined) return null;
  if (others.length > 0)
    throw new Fault(
      "invalid_request",
      `Your role holds for ${others.length + 1} accounts. Ask for one of them: GET /admin/v1/accounts/{account}/usage.`,
    );
  return { kind: "account", name };
}
