import type { FindAccount } from "../ledger/account.ts";
import type { KeyUsage, ReportUsage } from "../ledger/usage-report.ts";

/** What a key used, and which key it is. */
export type UsageReport = KeyUsage & { key: { id: string; prefix: string } };

/** What a key used in the last days, today included. It is named by its id or its prefix. */
export type ShowKeyUsage = (name: string, days: number) => Promise<UsageReport>;

type Parts = { findKey: FindAccount; reportUsage: ReportUsage };

export const createShowKeyUsage =
  ({ findKey, reportUsage }: Parts): ShowKeyUsage =>
  async (name, days) => {
    const { id, prefix } = await findKey(name);
    return { key: { id, prefix }, ...(await reportUsage(id, days)) };
  };
