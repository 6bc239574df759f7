import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Person } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Failure, Skeleton } from "../../parts/state.tsx";
import { sessionQuery } from "../../shell/session.ts";
import { GrantsCard } from "../people/grants-card.tsx";
import { TokensTable } from "../people/tokens-table.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { OwnClientSessions } from "./own-client-sessions.tsx";
import { OwnPasswordDialog } from "./own-password-dialog.tsx";
import { OwnSessions } from "./own-sessions.tsx";

/** The reader themselves: how they get in, where they are signed in, and the tokens of their programs. */
export function Profile(): ReactNode {
  const session = useQuery(sessionQuery);
  if (session.error) return <Failure error={session.error} height={400} retry={() => void session.refetch()} />;
  if (!session.data) return <Skeleton height={400} />;
  if (session.data.person === null)
    return <Failure error={new Error("The automation token belongs to no person.")} height={400} />;
  return <Own person={session.data.person} via={session.data.via} />;
}

function Own({ person, via }: { person: Person; via: string }): ReactNode {
  const [open, setOpen] = useState<"password" | "token" | null>(null);
  const close = (): void => setOpen(null);
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 xl:grid-cols-2">
        <Card
          title="Who are you?"
          actions={
            <Button onClick={() => setOpen("password")}>
              {person.has_password ? "Change your password" : "Set a password"}
            </Button>
          }
        >
          <Facts
            facts={[
              ["Name", person.name],
              ["Email", person.email],
              ["Signed in with", via === "sso" ? "single sign-on" : via],
              ["Password", person.has_password ? "set" : "none"],
              ["Single sign-on", person.has_sso ? "linked" : "not linked"],
              ["Own account", person.account ?? "none"],
              ["Added", <Moment key="added" atMs={Date.parse(person.created_at)} />],
            ]}
          />
        </Card>
        <GrantsCard of={person} isChangeable={false} title="What may you do?" />
      </div>
      <OwnSessions />
      <OwnClientSessions />
      <TokensTable
        of={person}
        isOwn
        tools={
          <Button look="primary" onClick={() => setOpen("token")}>
            New token
          </Button>
        }
      />
      {open === "password" && <OwnPasswordDialog of={person} onClose={close} />}
      {open === "token" && <NewTokenDialog onClose={close} />}
    </div>
  );
}
