import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { Account } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { accountColumns } from "./account-columns.tsx";
import { accountsQuery } from "./accounts-query.ts";
import { NewAccountDialog } from "./account-dialogs.tsx";
import { tightest } from "./tightest.ts";

const NEAR_PERCENT = 80;

/** The tree, each account with its purse and limits, and who is close to one of them. */
export function Accounts(): ReactNode {
  const navigate = useNavigate();
  const { own, changeOwn } = useOwnSearch("/shell/accounts");
  const [isMaking, setIsMaking] = useState(false);
  const accounts = useQuery({ ...accountsQuery, refetchInterval: 30_000 });
  const all = accounts.data ?? NONE;
  const near = useMemo(
    () => all.filter((account) => (tightest(account.counters)?.percent ?? 0) >= NEAR_PERCENT),
    [all],
  );
  const isNear = own.near !== undefined;
  const columns = useMemo(() => accountColumns({ isTree: !isNear }), [isNear]);
  const rows = isNear ? near : all;
  return (
    <>
      <DataTable
        label={isNear ? "Accounts close to a limit" : "Accounts"}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        height={720}
        onOpen={({ id }) => void navigate({ to: "/accounts/$account", params: { account: id } })}
        shown={shownOf(accounts, rows.length > 0 ? null : isNear ? NOBODY_NEAR : NO_ACCOUNTS)}
        tools={
          <>
            <Button aria-pressed={isNear} onClick={() => changeOwn({ near: isNear ? undefined : "yes" })}>
              {isNear ? "Show all" : `Close to a limit: ${near.length}`}
            </Button>
            <Button look="primary" onClick={() => setIsMaking(true)}>
              New account
            </Button>
          </>
        }
      />
      {isMaking && <NewAccountDialog parent={null} onClose={() => setIsMaking(false)} />}
    </>
  );
}

const NONE: readonly Account[] = [];
const NO_ACCOUNTS = {
  title: "There are no accounts yet",
  hint: "An account bounds what a team, a person or a customer spends, and can pay for all their keys.",
  command: 'tollgate accounts create "Acme" --kind organisation',
};
const NOBODY_NEAR = { title: "Nobody is close to a limit", hint: `Each has used less than ${NEAR_PERCENT} %.` };
