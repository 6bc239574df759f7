import { type ReactNode, useState } from "react";
import type { Person } from "../../api/generated/admin.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { AccountField } from "../accounts/account-field.tsx";
import { PasswordField } from "./password-field.tsx";

type Props = { of: Person; onClose: () => void };

export function ChangePersonDialog({ of: person, onClose }: Props): ReactNode {
  return (
    <FormDialog
      title={`Change ${person.name}`}
      verb="Save"
      done="The person is changed"
      fields={["name", "email", "account"]}
      onClose={onClose}
      act={async (change, given) => {
        const [name, email, account] = [given("name"), given("email").toLowerCase(), given("account") || null];
        const body = {
          ...(name !== person.name && { name }),
          ...(email !== person.email && { email }),
          ...(account !== person.account_id && { account }),
        };
        if (Object.keys(body).length > 0)
          await change("PATCH /admin/v1/people/{person}", { params: { person: person.id }, body });
      }}
    >
      {(problemOf) => (
        <>
          <Field
            label="Name"
            name="name"
            required
            autoFocus
            maxLength={200}
            defaultValue={person.name}
            problem={problemOf("name")}
          />
          <Field
            label="Email"
            name="email"
            type="email"
            required
            defaultValue={person.email}
            problem={problemOf("email")}
          />
          <AccountField
            label="Their own account"
            name="account"
            none="none"
            usual={person.account_id === null ? null : { id: person.account_id, path: person.account ?? "" }}
            problem={problemOf("account")}
          />
        </>
      )}
    </FormDialog>
  );
}

/** The reader knows it and hands it on; its owner changes it on their profile. */
export function ResetPasswordDialog({ of: person, onClose }: Props): ReactNode {
  const [password, setPassword] = useState("");
  return (
    <FormDialog
      title={`Reset the password of ${person.name}`}
      lead="Hand it to them in a safe way. All their sessions end; they choose another on their profile."
      verb="Set this password"
      done="The password is set, and their sessions have ended"
      fields={["password"]}
      onClose={onClose}
      act={(change) =>
        change("POST /admin/v1/people/{person}/password", { params: { person: person.id }, body: { password } })
      }
    >
      {(problemOf) => (
        <>
          <PasswordField
            label="New password"
            required
            autoFocus
            value={password}
            onType={setPassword}
            problem={problemOf("password")}
            hint="At least 12 characters. It won’t be shown again."
          />
          {password.length >= 12 && (
            <div>
              <CopyText text={password} />
            </div>
          )}
        </>
      )}
    </FormDialog>
  );
}

export const EndSessionsDialog = ({ of: person, onClose }: Props): ReactNode => (
  <FormDialog
    title={`Sign ${person.name} out of this console?`}
    lead="Every browser of theirs has to sign in again. Their client sessions and tokens go on: end and revoke those below."
    verb="Sign them out"
    danger
    done="Their sessions have ended"
    onClose={onClose}
    act={(change) => change("DELETE /admin/v1/people/{person}/sessions", { params: { person: person.id } })}
  >
    {() => null}
  </FormDialog>
);

/** Their way in and their roles do not come back, so the email is typed first. */
export function RemovePersonDialog({ of: person, onClose }: Props): ReactNode {
  const [typed, setTyped] = useState("");
  return (
    <FormDialog
      title={`Remove ${person.name}?`}
      lead={
        <>
          Their sessions, tokens and roles end at once. If their account is of the kind person, it is suspended: its
          keys get 401. Their name stays in the audit log.
        </>
      }
      verb="Remove this person"
      danger
      disabled={typed.trim().toLowerCase() !== person.email}
      done="The person is removed"
      onClose={onClose}
      act={(change) => change("DELETE /admin/v1/people/{person}", { params: { person: person.id } })}
    >
      {() => (
        <Field
          label={`Type “${person.email}” to confirm`}
          name="email"
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
