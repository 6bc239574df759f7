import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { HolderPerson } from "../../api/generated/holder.ts";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { type Me, originOf } from "../../shell/holder-session.ts";
import { ownSessionsQuery } from "../my-sessions/own-sessions-query.ts";

/** Who is signed in, and what their clients spend from. */
export function PersonFacts({ me, person }: { me: Me; person: HolderPerson }): ReactNode {
  const { data: sessions } = useQuery(ownSessionsQuery);
  const count = sessions?.length ?? null;
  return (
    <Card title="Who is signed in?">
      <Facts
        facts={[
          ["Name", person.name],
          ["Email", person.email],
          [
            "Account",
            <span key="account" className="wrap-anywhere">
              {person.account}
            </span>,
          ],
          [
            "Sessions",
            <Link key="sessions" to="/sessions" className="text-accent underline">
              {count === null ? "your clients and browsers" : `${groupDigits(count)} of clients and browsers`}
            </Link>,
          ],
          [
            "Models",
            <Link key="models" to="/models" className="text-accent underline">
              {me.key.models === null ? "all" : groupDigits(me.key.models.length)}
            </Link>,
          ],
          ["Base URL", <CopyText key="origin" text={originOf(me)} />],
          [
            "This browser",
            me.session === null ? (
              "is signed in"
            ) : (
              <span key="until">
                signed in until <Moment atMs={Date.parse(me.session.expires_at)} />
              </span>
            ),
          ],
        ]}
      />
    </Card>
  );
}
