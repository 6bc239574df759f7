import { type ReactNode, useState } from "react";
import type { Person } from "../../api/generated/admin.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";

/** Typed twice, and never trimmed: a space may be part of it. */
export function OwnPasswordDialog({ of: person, onClose }: { of: Person; onClose: () => void }): ReactNode {
  const [typed, setTyped] = useState({ current: "", password: "", again: "" });
  const field = (name: keyof typeof typed) => ({
    name,
    type: "password",
    value: typed[name],
    onChange: ({ target }: { target: { value: string } }) => setTyped({ ...typed, [name]: target.value }),
    maxLength: 256,
    required: true,
  });
  const differs = typed.again !== "" && typed.again !== typed.password;
  return (
    <FormDialog
      title={person.has_password ? "Change your password" : "Set a password"}
      lead="All your sessions end, this one too. Sign in again with the new password."
      verb="Save the password"
      done="Your password is set. Sign in with it."
      fields={["current", "password"]}
      disabled={differs}
      onClose={onClose}
      act={(change) =>
        change("POST /admin/v1/people/{person}/password", {
          params: { person: person.id },
          body: { password: typed.password, current: person.has_password ? typed.current : null },
        })
      }
    >
      {(problemOf) => (
        <>
          {/* Password managers look for whose it is. */}
          <input type="hidden" name="username" autoComplete="username" value={person.email} readOnly />
          {person.has_password && (
            <Field
              label="Your password until now"
              autoComplete="current-password"
              autoFocus
              problem={problemOf("current")}
              {...field("current")}
            />
          )}
          <Field
            label="New password"
            autoComplete="new-password"
            minLength={12}
            hint="At least 12 characters."
            problem={problemOf("password")}
            {...field("password")}
          />
          <Field
            label="New password again"
            autoComplete="new-password"
            problem={differs ? "This is not the same as above." : null}
            {...field("again")}
          />
        </>
      )}
    </FormDialog>
  );
}
