import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { Person } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { Failure, Skeleton } from "../../parts/state.tsx";
import { useMay } from "../../shell/may.ts";
import { PersonClientSessions } from "./client-sessions-table.tsx";
import { GrantsCard } from "./grants-card.tsx";
import { PersonActions } from "./person-actions.tsx";
import { WaysIn } from "./person-columns.tsx";
import { SessionsTable } from "./sessions-table.tsx";
import { TokensTable } from "./tokens-table.tsx";

/** One person: what they may do and where, how they get in, and where they are signed in. */
export function PersonPage(): ReactNode {
  const { person: name } = useParams({ from: "/shell/people/$person" });
  const shown = useQuery(queryOf("GET /admin/v1/people/{person}", { params: { person: name } }));
  if (shown.error) return <Failure error={shown.error} height={400} retry={() => void shown.refetch()} />;
  return shown.data ? <Found person={shown.data.person} /> : <Skeleton height={400} />;
}

function Found({ person }: { person: Person }): ReactNode {
  const may = useMay();
  const isActive = person.state === "active";
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        back={<BackLink to="/people">People</BackLink>}
        title={
          <>
            {person.name} {!isActive && <Badge>removed</Badge>}
          </>
        }
        lead={
          <>
            {person.email} ·{" "}
            <Link to="/audit" search={{ actor: person.email, range: "30d" }} className="text-accent underline">
              what they did
            </Link>
          </>
        }
        actions={isActive && <PersonActions of={person} />}
      />
      <div className="grid gap-4 xl:grid-cols-2">
        <GrantsCard of={person} isChangeable={isActive && may("changeGrants")} />
        <PersonFacts of={person} />
      </div>
      {isActive && may("listClientSessions") && <PersonClientSessions of={person} />}
      {isActive && may("listSessions") && <SessionsTable of={person} />}
      {isActive && <TokensTable of={person} />}
    </div>
  );
}

const PersonFacts = ({ of: person }: { of: Person }): ReactNode => (
  <Card title="How do they get in?">
    <Facts
      facts={[
        ["Signs in with", <WaysIn key="ways" of={person} />],
        [
          "Last seen",
          person.last_seen_at === null ? "never" : <Moment key="seen" atMs={Date.parse(person.last_seen_at)} />,
        ],
        [
          "Own account",
          person.account_id === null ? (
            "none"
          ) : (
            <Link
              key="account"
              to="/accounts/$account"
              params={{ account: person.account_id }}
              className="text-accent underline"
            >
              {person.account}
            </Link>
          ),
        ],
        ["Added", <Moment key="added" atMs={Date.parse(person.created_at)} />],
        ...(person.removed_at === null
          ? []
          : [["Removed", <Moment key="removed" atMs={Date.parse(person.removed_at)} />] as const]),
        ["Id", <CopyText key="id" text={person.id} />],
      ]}
    />
  </Card>
);
