import { type ReactNode, useState } from "react";
import type { Grant, Person } from "../../api/generated/admin.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { AccountField } from "../accounts/account-field.tsx";
import { ROLE_OPTIONS } from "./add-person-dialog.tsx";
import { ROLE_WORDS } from "./roles-text.tsx";

type Props = { of: Person; isChangeable: boolean; title?: string };
type Open = { kind: "grant" } | { kind: "revoke"; grant: Grant } | null;

const nameOf = ({ role, account }: Grant): string => `${role} ${account === null ? "everywhere" : `at ${account}`}`;

/** The roles of a person. Those that follow from a group are changed at the identity provider. */
export function GrantsCard({ of: person, isChangeable, title = "What may they do?" }: Props): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  return (
    <Card
      title={title}
      lead="Everywhere, or for one account and all below it."
      actions={isChangeable && <Button onClick={() => setOpen({ kind: "grant" })}>Give a role</Button>}
    >
      {person.grants.length === 0 ? (
        <p className="text-ink-2">No role: nothing but the own profile is open to them.</p>
      ) : (
        <ul className="flex flex-col">
          {person.grants.map((grant) => (
            <li
              key={`${grant.role} ${grant.account_id} ${grant.source}`}
              className="flex min-h-10 items-center gap-3 border-t border-line/70 py-1 first:border-0"
            >
              <div className="min-w-0 flex-1">
                <span className="font-medium">{grant.role}</span>{" "}
                <span className="text-ink-2">{grant.account === null ? "everywhere" : `at ${grant.account}`}</span>
                <p className="text-small text-ink-3">{ROLE_WORDS[grant.role]}</p>
              </div>
              {grant.source === "sso" ? (
                <Badge>from a group</Badge>
              ) : (
                isChangeable && (
                  <IconButton
                    label={`Take ${nameOf(grant)}`}
                    icon="close"
                    onClick={() => setOpen({ kind: "revoke", grant })}
                  />
                )
              )}
            </li>
          ))}
        </ul>
      )}
      {open?.kind === "grant" && <GrantDialog of={person} onClose={close} />}
      {open?.kind === "revoke" && <RevokeDialog of={person} grant={open.grant} onClose={close} />}
    </Card>
  );
}

function GrantDialog({ of: person, onClose }: { of: Person; onClose: () => void }): ReactNode {
  return (
    <FormDialog
      title={`Give ${person.name} a role`}
      lead="It holds from their next request on."
      verb="Give the role"
      done="The role is given"
      onClose={onClose}
      act={(change, given) =>
        change("PATCH /admin/v1/people/{person}/grants", {
          params: { person: person.id },
          body: { add: [{ role: given("role") as Grant["role"], account: given("at") || null }] },
        })
      }
    >
      {() => (
        <>
          <SelectField
            label="Role"
            name="role"
            options={ROLE_OPTIONS.filter(({ value }) => value !== "")}
            defaultValue="viewer"
            autoFocus
          />
          <AccountField
            label="Where it holds"
            name="at"
            none="everywhere"
            usual={null}
            hint="For the account and all below it."
          />
        </>
      )}
    </FormDialog>
  );
}

const RevokeDialog = ({ of: person, grant, onClose }: { of: Person; grant: Grant; onClose: () => void }): ReactNode => (
  <FormDialog
    title={`Take the role ${nameOf(grant)} from ${person.name}?`}
    lead="It ends with their next request, also for their tokens."
    verb="Take the role"
    danger
    done="The role is taken"
    onClose={onClose}
    act={(change) =>
      change("PATCH /admin/v1/people/{person}/grants", {
        params: { person: person.id },
        body: { remove: [{ role: grant.role, account: grant.account_id }] },
      })
    }
  >
    {() => null}
  </FormDialog>
);
