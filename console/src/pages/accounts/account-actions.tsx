import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Account, Counter } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import {
  MoveAccountDialog,
  NewAccountDialog,
  RegionsDialog,
  ThresholdsDialog,
  TiersDialog,
} from "./account-dialogs.tsx";
import {
  ACCOUNT_CHANGES,
  type AccountChange,
  accountChanges,
  AccountStatusDialog,
  CloseAccountDialog,
} from "./account-status-dialogs.tsx";
import { TopUpDialog } from "./top-up-dialog.tsx";

type Open = "topup" | "child" | "move" | "close" | "thresholds" | "tiers" | "regions" | AccountChange | null;

type Props = {
  of: Account;
  /** How many accounts are below it. */
  below: number;
  /** The thresholds of its own limit or purse. */
  told: (kind: Counter["kind"]) => readonly string[];
};

/** What can be done with an account as it is now. */
export function AccountActions({ of: account, below, told }: Props): ReactNode {
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  if (account.status === "closed") return <span className="text-ink-2">A closed account stays closed.</span>;
  return (
    <>
      <Button look="primary" onClick={() => setOpen("topup")}>
        Top up
      </Button>
      <Button onClick={() => void navigate({ to: "/keys/new", search: { in: account.id } })}>New key</Button>
      <Menu trigger={<Button icon="down">More</Button>}>
        <MenuItem icon="accounts" onPick={() => setOpen("child")}>
          New account below it
        </MenuItem>
        <MenuItem icon="leave" onPick={() => setOpen("move")}>
          Rename or move
        </MenuItem>
        <MenuItem icon="notices" onPick={() => setOpen("thresholds")}>
          Thresholds
        </MenuItem>
        <MenuItem icon="models" onPick={() => setOpen("tiers")}>
          Service tiers
        </MenuItem>
        <MenuItem icon="models" onPick={() => setOpen("regions")}>
          Regions
        </MenuItem>
        {accountChanges(account.status).map((change) => (
          <MenuItem key={change} icon={ACCOUNT_CHANGES[change].icon} onPick={() => setOpen(change)}>
            {ACCOUNT_CHANGES[change].verb}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem icon="close" onPick={() => setOpen("close")}>
          Close for good…
        </MenuItem>
      </Menu>
      {open === "topup" && <TopUpDialog of={{ kind: "account", id: account.id, name: account.path }} onClose={close} />}
      {open === "child" && <NewAccountDialog parent={account} onClose={close} />}
      {open === "move" && <MoveAccountDialog of={account} onClose={close} />}
      {open === "thresholds" && (
        <ThresholdsDialog of={account} percent={told("limit")} left={told("purse")} onClose={close} />
      )}
      {open === "tiers" && <TiersDialog of={account} onClose={close} />}
      {open === "regions" && <RegionsDialog of={account} onClose={close} />}
      {open === "close" && <CloseAccountDialog of={account} below={below} onClose={close} />}
      {open !== null && open in ACCOUNT_CHANGES && (
        <AccountStatusDialog of={account} change={open as AccountChange} onClose={close} />
      )}
    </>
  );
}
