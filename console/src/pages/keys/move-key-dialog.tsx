import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Key } from "../../api/generated/admin.ts";
import { SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { accountsQuery } from "../accounts/accounts-query.ts";

/** Into an account, or into another of its tree. */
export function MoveKeyDialog({ of: key, onClose }: { of: Key; onClose: () => void }): ReactNode {
  const accounts = useQuery(accountsQuery);
  const isLone = key.account_id === null || !accounts.data?.some(({ id }) => id === key.account_id);
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
        <SelectField
          label="Account"
          name="account"
          key={accounts.data?.length ?? 0}
          defaultValue={key.account_id ?? undefined}
          options={(accounts.data ?? []).map(({ id, path }) => ({ value: id, name: path }))}
          autoFocus
        />
      )}
    </FormDialog>
  );
}
