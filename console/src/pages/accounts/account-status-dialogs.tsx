import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Account } from "../../api/generated/admin.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { IconName } from "../../parts/icon.tsx";

export type AccountChange = "suspend" | "resume" | "disable" | "enable";

const BACK = "Its keys, and those below it, can be used again unless another account above it is stopped.";

export const ACCOUNT_CHANGES: Record<
  AccountChange,
  { verb: string; done: string; lead: string; icon: IconName; stops: boolean }
> = {
  suspend: {
    verb: "Suspend",
    done: "The account is suspended",
    lead: "Clients of all keys of this account and of those below it get 401 until you resume it. Their streams end.",
    icon: "clock",
    stops: true,
  },
  disable: {
    verb: "Disable",
    done: "The account is disabled",
    lead: "Clients of all keys of this account and of those below it get 403 key_disabled until you enable it, so they know that their key is right. Their streams end.",
    icon: "warn",
    stops: true,
  },
  resume: { verb: "Resume", done: "The account is resumed", lead: BACK, icon: "retry", stops: false },
  enable: { verb: "Enable", done: "The account is enabled", lead: BACK, icon: "retry", stops: false },
};

/** What can be done to an account as it is. */
export function accountChanges(status: Account["status"]): AccountChange[] {
  if (status === "suspended") return ["resume"];
  if (status === "disabled") return ["enable"];
  return status === "active" ? ["suspend", "disable"] : [];
}

type Props = { of: Account; onClose: () => void };

export const AccountStatusDialog = ({
  of: account,
  change: kind,
  onClose,
}: Props & { change: AccountChange }): ReactNode => {
  const { verb, done, lead, stops } = ACCOUNT_CHANGES[kind];
  return (
    <FormDialog
      title={`${verb} ${account.path}?`}
      lead={lead}
      verb={verb}
      danger={stops}
      done={done}
      onClose={onClose}
      act={(change) => change(`POST /admin/v1/accounts/{account}/${kind}`, { params: { account: account.id } })}
    >
      {() => null}
    </FormDialog>
  );
};

/** It cannot be undone, so its name is typed first. */
export function CloseAccountDialog({ of: account, below, onClose }: Props & { below: number }): ReactNode {
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const others = below === 0 ? "" : ` With it ${below === 1 ? "the account" : `all ${below} accounts`} below it.`;
  return (
    <FormDialog
      title={`Close ${account.path} for good?`}
      lead={`Its keys stop working, and it cannot be opened again.${others} Purses must be empty, and no request in progress. What was charged stays in the ledger.`}
      verb="Close this account"
      danger
      disabled={typed !== account.name}
      done="The account is closed"
      onClose={onClose}
      act={async (change) => {
        await change("POST /admin/v1/accounts/{account}/close", { params: { account: account.id } });
        await navigate({ to: "/accounts" });
      }}
    >
      {() => (
        <Field
          label={`Type “${account.name}” to confirm`}
          name="name"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </FormDialog>
  );
}
