import { type ReactNode, useMemo } from "react";
import { FindInput } from "../../parts/find-input.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useOwnSearch, usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { accountColumns } from "../accounts/account-columns.tsx";
import { MoreAccounts, moreShown } from "../accounts/more-accounts.tsx";
import { useAccounts } from "../accounts/use-accounts.ts";

/** The accounts, to choose one of. Keys are chosen on their own page. */
export function LedgerHolders(): ReactNode {
  const { change } = usePageSearch();
  const { own, changeOwn } = useOwnSearch("/shell/ledger");
  const { isFound, rows, asked, more } = useAccounts(own.find);
  const columns = useMemo(() => accountColumns({ isTree: !isFound }), [isFound]);
  return (
    <DataTable
      label="Ledgers of accounts"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      height={640}
      onOpen={({ id }) => change({ account: id })}
      shown={moreShown(shownOf(asked, rows.length > 0 ? null : isFound ? NOT_FOUND : NO_ACCOUNTS), {
        more,
        count: rows.length,
      })}
      tools={
        <>
          <MoreAccounts more={more} />
          <FindInput
            label="Find an account by its name"
            value={own.find}
            onFind={(text) => changeOwn({ find: text })}
            busy={more?.isPlaceholderData === true}
          />
        </>
      }
    />
  );
}

const NO_ACCOUNTS = {
  title: "There are no accounts yet",
  hint: "The ledger of a key without an account is on the page of the key.",
};
const NOT_FOUND = { title: "No account matches", hint: "Search for a part of its name." };
