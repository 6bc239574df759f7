import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { HolderRequestDetail } from "../../api/generated/holder.ts";
import { groupDigits } from "../../format/money.ts";
import { Card } from "../../parts/card.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Inspected } from "../requests/inspected.tsx";
import { LATE, RequestPage } from "../requests/request-page.tsx";
import { spansOf } from "../requests/spans.ts";

/** One request of the key. */
export function MyRequest(): ReactNode {
  const { request: id } = useParams({ from: "/shell/requests/$request" });
  const asked = useQuery({ ...queryOf("GET /me/requests/{request}", { params: { request: id } }), ...LATE });
  return (
    <RequestPage asked={asked}>
      {(request) => (
        <Inspected
          request={request}
          money={moneyOf(request)}
          spans={spansOf(request)}
          lead="Since the request arrived"
          facts={<OwnFacts request={request} />}
          afterRefusal={
            <Link to="/errors" className="text-accent hover:underline">
              What to do about it
            </Link>
          }
        />
      )}
    </RequestPage>
  );
}

const moneyOf = ({ arithmetic, entries, estimated, price_version }: HolderRequestDetail) =>
  arithmetic === null ? null : { ...arithmetic, entries, estimated, price_version };

function OwnFacts({ request }: { request: HolderRequestDetail }): ReactNode {
  const { model, streamed, agent, client, times, dropped_fields: dropped } = request;
  const facts: (readonly [string, ReactNode])[] = [
    ["Model", model ?? "none was found"],
    ["Streamed", streamed ? "yes" : "no"],
    ...(agent === null ? [] : [["Agent", agent] as const]),
    ...(client === null ? [] : [["Client", client] as const]),
    ...(times > 1 ? [["Stands for", `${groupDigits(times)} requests`] as const] : []),
    ...(dropped.length === 0 ? [] : [["Fields not sent", dropped.join(", ")] as const]),
  ];
  return (
    <Card title="What was asked?" lead="Prompts and responses are not kept.">
      <Facts facts={facts} />
    </Card>
  );
}
