import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Grant } from "../../api/generated/admin.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { sessionQuery } from "../../shell/session.ts";
import { AccountField } from "../accounts/account-field.tsx";
import { PasswordField } from "./password-field.tsx";
import { ROLE_WORDS, ROLES } from "./roles-text.tsx";

/** Whoever is an owner for some accounts alone adds people without a password. */
export function useOwnsEverything(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.person?.grants.some(({ role, account_id: place }) => role === "owner" && place === null) === true;
}

export function AddPersonDialog({ onClose }: { onClose: () => void }): ReactNode {
  const ownsEverything = useOwnsEverything();
  const [password, setPassword] = useState("");
  return (
    <FormDialog
      title="Add a person"
      lead="They sign in to this console with what you set here, or through single sign-on."
      verb="Add the person"
      done="The person is added"
      fields={["email", "name", "password", "account"]}
      onClose={onClose}
      act={(change, given) => {
        const [role, account] = [given("role"), given("at") || null];
        return change("POST /admin/v1/people", {
          body: {
            email: given("email"),
            name: given("name") || null,
            account: given("account") || null,
            grants: role === "" ? [] : [{ role: role as Grant["role"], account }],
            password: password || null,
          },
        });
      }}
    >
      {(problemOf) => (
        <>
          <Field label="Email" name="email" type="email" required autoFocus problem={problemOf("email")} />
          <Field label="Name" name="name" maxLength={200} problem={problemOf("name")} hint="Empty: the email." />
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField label="Role" name="role" options={ROLE_OPTIONS} defaultValue="viewer" />
            <AccountField label="Where it holds" name="at" none="everywhere" usual={null} hint="There and below." />
          </div>
          <AccountField
            label="Their own account"
            name="account"
            none="none"
            usual={null}
            problem={problemOf("account")}
            hint="What they themselves spend. It is suspended when they are removed, if it is of the kind person."
          />
          {ownsEverything && (
            <PasswordField
              label="First password"
              value={password}
              onType={setPassword}
              problem={problemOf("password")}
              hint="At least 12 characters. Empty: they sign in through single sign-on."
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

export const ROLE_OPTIONS = [
  ...ROLES.map((value) => ({ value, name: `${value}: ${ROLE_WORDS[value]}` })),
  { value: "", name: "none yet" },
];
