import type { ReactNode } from "react";
import type { ListedKey } from "../../api/generated/admin.ts";
import { tell } from "../../parts/toast.tsx";
import { DataTable } from "../../table/data-table.tsx";
import { keyColumns } from "../keys/key-columns.tsx";
import { createSample, SAMPLE_NOW_MS } from "./sample.ts";

const STATUSES = ["active", "active", "active", "active", "suspended", "disabled", "revoked", "expired"] as const;
const COLUMNS = keyColumns(SAMPLE_NOW_MS, new Map());

const ROWS: readonly ListedKey[] = Array.from({ length: 5000 }, (_row, index) => {
  const next = createSample(index + 1);
  next();
  const isCredit = next() > 0.3;
  return {
    id: `key-${index}`,
    prefix: `${isCredit ? "tgc" : "tgb"}_${Math.floor(next() * 2 ** 40)
      .toString(36)
      .slice(0, 8)
      .padEnd(8, "x")}`,
    account_id: null,
    mode: isCredit ? "credit" : "token_budget",
    status: STATUSES[Math.floor(next() * STATUSES.length)] ?? "active",
    label:
      index % 9 === 0
        ? null
        : index === 1
          ? "the nightly evaluation of every published model, with a label that is too long"
          : `laptop of person ${index}`,
    provider_scope: "all",
    models: null,
    rpm_limit: next() > 0.5 ? 60 : null,
    expires_at: null,
    created_at: new Date(SAMPLE_NOW_MS - index * 3_700_000).toISOString(),
    account: index % 5 === 0 ? null : `Acme/${["Search", "Research", "Support"][index % 3]}`,
    unit: isCredit ? "credit" : "tokens",
    available: next() > 0.9 ? null : isCredit ? (next() * 900).toFixed(4) : String(Math.floor(next() * 4_000_000)),
    spent: (next() * 40).toFixed(6),
    tokens: Math.floor(next() * 90_000_000),
  } as ListedKey;
});

export const TableSample = (): ReactNode => (
  <DataTable label="Keys" columns={COLUMNS} rows={ROWS} rowKey={({ id }) => id} onOpen={({ prefix }) => tell(prefix)} />
);
