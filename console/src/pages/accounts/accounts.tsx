import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { FindInput } from "../../parts/find-input.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { accountColumns } from "./account-columns.tsx";
import { NewAccountDialog } from "./account-dialogs.tsx";
import { tightest } from "./tightest.ts";
import { MoreAccounts, moreShown } from "./more-accounts.tsx";
import { useAccounts } from "./use-accounts.ts";

const NEAR_PERCENT = 80;

/** The tree, each account with its purse and limits, and who is close to one of them. */
export function Accounts(): ReactNode {
  const navigate = useNavigate();
  const { own, changeOwn } = useOwnSearch("/shell/accounts");
  const [isMaking, setIsMaking] = useState(false);
  const { isFound, rows: all, asked, more } = useAccounts(own.find);
  const near = useMemo(
    () => all.filter((account) => (tightest(account.counters)?.percent ?? 0) >= NEAR_PERCENT),
    [all],
  );
  const isNear = own.near !== undefined;
  const columns = useMemo(() => accountColumns({ isTree: !isNear && !isFound }), [isNear, isFound]);
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
        shown={moreShown(
          shownOf(asked, rows.length > 0 ? null : isNear ? NOBODY_NEAR : isFound ? NOT_FOUND : NO_ACCOUNTS),
          { more, count: rows.length },
        )}
        tools={
          <>
            <MoreAccounts more={more} />
            <FindInput
              label="Find an account by its name"
              value={own.find}
              onFind={(text) => changeOwn({ find: text })}
              busy={more?.isPlaceholderData === true}
            />
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

const NO_ACCOUNTS = {
  title: "There are no accounts yet",
  hint: "An account bounds what a team, a person or a customer spends, and can pay for all their keys.",
  command: 'tollgate accounts create "Acme" --kind organisation',
};
const NOBODY_NEAR = { title: "Nobody is close to a limit", hint: `Each has used less than ${NEAR_PERCENT} %.` };
const NOT_FOUND = { title: "No account matches", hint: "Search for a part of its name." };
