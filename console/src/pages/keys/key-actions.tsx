import { type ReactNode, useState } from "react";
import type { Key, KeyFunds } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import { TopUpDialog } from "../accounts/top-up-dialog.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";
import { MoveKeyDialog } from "./move-key-dialog.tsx";
import { RevokeDialog, STATUS_CHANGES, StatusDialog, type StatusChange } from "./key-status-dialogs.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

type Open = "funds" | "rotate" | "revoke" | "move" | StatusChange | null;

/** What can be done with a key as it is now. */
export function KeyActions({ of: key, funds }: { of: Key; funds: KeyFunds }): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const holder = { kind: "key", id: key.id, name: key.label ?? `${key.prefix}…` } as const;
  if (key.status === "revoked") return <span className="text-ink-2">A revoked key cannot be used again.</span>;
  return (
    <>
      <Button look="primary" onClick={() => setOpen("funds")}>
        {key.mode === "credit" ? "Top up" : "Set the budget"}
      </Button>
      <Button onClick={() => setOpen("rotate")}>Rotate</Button>
      <Menu trigger={<Button icon="down">More</Button>}>
        {changesOf(key.status).map((change) => (
          <MenuItem key={change} icon={STATUS_CHANGES[change].icon} onPick={() => setOpen(change)}>
            {STATUS_CHANGES[change].verb}
          </MenuItem>
        ))}
        <MenuItem icon="accounts" onPick={() => setOpen("move")}>
          {key.account_id === null ? "Put into an account" : "Move to another account"}
        </MenuItem>
        <MenuLine />
        <MenuItem icon="close" onPick={() => setOpen("revoke")}>
          Revoke…
        </MenuItem>
      </Menu>
      {open === "funds" && key.mode === "credit" && <TopUpDialog of={holder} onClose={close} />}
      {open === "funds" && key.mode !== "credit" && <BudgetDialog of={key} funds={funds} onClose={close} />}
      {open === "rotate" && <RotateDialog of={key} onClose={close} />}
      {open === "revoke" && <RevokeDialog of={key} onClose={close} />}
      {open === "move" && <MoveKeyDialog of={key} onClose={close} />}
      {open !== null && open in STATUS_CHANGES && (
        <StatusDialog of={key} change={open as StatusChange} onClose={close} />
      )}
    </>
  );
}

function changesOf(status: Key["status"]): StatusChange[] {
  if (status === "suspended") return ["resume"];
  return status === "disabled" ? ["enable"] : ["suspend", "disable"];
}
