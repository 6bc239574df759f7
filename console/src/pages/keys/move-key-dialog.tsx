import type { ReactNode } from "react";
import type { Key } from "../../api/generated/admin.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { AccountField } from "../accounts/account-field.tsx";

/** Into an account, or into another of its tree. */
export function MoveKeyDialog({ of: key, onClose }: { of: Key; onClose: () => void }): ReactNode {
  const isLone = key.account_id === null;
  return (
    <FormDialog
      title={`Move ${key.label ?? `${key.prefix}…`}`}
      lead="Limits of the account hold for the key from the next request on. What it has spent stays where it was charged."
      verb="Move the key"
      done="The key is moved"
      onClose={onClose}
      act={(change, given) =>
        change(isLone ? "POST /admin/v1/keys/{key}/adopt" : "POST /admin/v1/keys/{key}/move", {
          params: { key: key.id },
          body: { account: given("account") },
        })
      }
    >
      {() => (
        <AccountField
          label="Account"
          name="account"
          none={null}
          usual={null}
          isOut={({ id }) => id === key.account_id}
          autoFocus
        />
      )}
    </FormDialog>
  );
}
