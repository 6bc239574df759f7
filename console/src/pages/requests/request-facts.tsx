import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Card } from "../../parts/card.tsx";
import { accountOf } from "./request-columns.tsx";
import type { PageSearch } from "../../routes/search.ts";

/** Who asked for what, through which provider. */
export function RequestFacts({ request }: { request: RequestDetail }): ReactNode {
  const { model, provider, agent, client } = request;
  const account = accountOf(request);
  const key = request.key_prefix ?? request.key_id;
  return (
    <Card title="Who asked for what">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <Fact name="key">{key === null ? "none" : <Others by={{ key }}>{key}</Others>}</Fact>
        <Fact name="account">{account !== null && <Others by={{ account }}>{account}</Others>}</Fact>
        <Fact name="model">{model === null ? "none was found" : <Others by={{ model }}>{model}</Others>}</Fact>
        <Fact name="asked for as">{request.model_asked}</Fact>
        <Fact name="provider">{provider !== null && <Others by={{ provider }}>{provider}</Others>}</Fact>
        <Fact name="ran in">{request.region}</Fact>
        <Fact name="route">
          {`${request.route}${request.streamed ? ", streamed" : ""}${request.replay ? ", replayed" : ""}`}
        </Fact>
        <Fact name="ended as">{request.outcome}</Fact>
        <Fact name="agent">{agent !== null && <Others by={{ agent }}>{agent}</Others>}</Fact>
        <Fact name="client">{client !== null && <span className="font-mono text-small">{client}</span>}</Fact>
        <Fact name="trace">
          {request.trace_id !== null && <span className="font-mono text-small">{request.trace_id}</span>}
        </Fact>
        <Fact name="bytes sent">{request.bytes_out > 0 && groupDigits(request.bytes_out)}</Fact>
        <Fact name="stands for">{request.times > 1 && `${groupDigits(request.times)} requests`}</Fact>
        <Fact name="fields not sent">{request.dropped_fields.join(", ")}</Fact>
      </dl>
    </Card>
  );
}

/** Left out where there is nothing to say. */
const Fact = ({ name, children }: { name: string; children: ReactNode }): ReactNode =>
  Boolean(children) && (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );

/** All requests that have this in common. */
const Others = ({ by, children }: { by: PageSearch; children: ReactNode }): ReactNode => (
  <Link to="/requests" search={by} className="text-accent hover:underline">
    {children}
  </Link>
);
