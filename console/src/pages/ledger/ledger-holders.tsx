import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { Account } from "../../api/generated/admin.ts";
import { shownOf } from "../../parts/shown-of.ts";
import { usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { accountColumns } from "../accounts/account-columns.tsx";
import { accountsQuery } from "../accounts/accounts-query.ts";

const NONE: readonly Account[] = [];

/** The accounts, to choose one of. Keys are chosen on their own page. */
export function LedgerHolders(): ReactNode {
  const { change } = usePageSearch();
  const accounts = useQuery(accountsQuery);
  const columns = useMemo(() => accountColumns({ isTree: true }), []);
  const rows = accounts.data ?? NONE;
  return (
    <DataTable
      label="Ledgers of accounts"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      height={640}
      onOpen={({ id }) => change({ account: id })}
      shown={shownOf(
        accounts,
        rows.length > 0
          ? null
          : {
              title: "There are no accounts yet",
              hint: "The ledger of a key without an account is on the page of the key.",
            },
      )}
    />
  );
}
