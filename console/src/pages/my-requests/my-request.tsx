import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { HolderRequestDetail } from "../../api/generated/holder.ts";
import { Waterfall } from "../../charts/waterfall.tsx";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Card } from "../../parts/card.tsx";
import { CodeWords } from "../../parts/code-words.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Skeleton, Stateful } from "../../parts/state.tsx";
import { CodeBadge } from "../requests/code-badge.tsx";
import { MoneyPath } from "../requests/money-path.tsx";
import { PriceArithmetic } from "../requests/price-arithmetic.tsx";
import { spansOf } from "../requests/request-waterfall.tsx";
import { OwnEntries } from "./own-entries.tsx";
import { RequestFigures } from "./request-figures.tsx";
import { useOwnRequest } from "./use-own-request.ts";

/** One request of the key: where its time went, what it cost and why, what came back. */
export function MyRequest(): ReactNode {
  const { request: id } = useParams({ from: "/shell/requests/$request" });
  const asked = useOwnRequest(id);
  return (
    <div className="flex flex-col gap-4">
      <Link to="/requests" search className="w-fit text-accent hover:underline">
        ← All requests
      </Link>
      <Stateful shown={shownOf(asked, null)} height={400}>
        {asked.data === undefined ? <Skeleton height={400} /> : <Inspected request={asked.data} />}
      </Stateful>
    </div>
  );
}

function Inspected({ request }: { request: HolderRequestDetail }): ReactNode {
  const { arithmetic, refusal, entries, price_version: version, estimated } = request;
  return (
    <>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <CodeBadge {...request} />
        <CopyText text={request.request_id} />
        <span className="text-ink-2">
          <Moment atMs={Date.parse(request.at)} />
        </span>
      </header>
      <RequestFigures request={request} />
      {refusal !== null && (
        <Card title="What came back" lead={`HTTP ${request.status}, error code ${request.code}`}>
          <blockquote className="border-l-2 border-bad pl-3 text-title wrap-anywhere">
            <CodeWords text={refusal} />
          </blockquote>
          <p className="mt-3">
            <Link to="/errors" className="text-accent hover:underline">
              What to do about it
            </Link>
          </p>
        </Card>
      )}
      <div className="grid items-start gap-4 *:min-w-0 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Waterfall title="Where did the time go?" lead="Since the request arrived" spans={spansOf(request)} />
        <RequestFacts request={request} />
      </div>
      {arithmetic !== null && (
        <div className="grid items-start gap-4 *:min-w-0 xl:grid-cols-2">
          <PriceArithmetic money={{ ...arithmetic, price_version: version, estimated }} />
          <MoneyPath money={{ ...arithmetic, entries }} />
        </div>
      )}
      {entries.length > 0 && <OwnEntries entries={entries} />}
    </>
  );
}

function RequestFacts({ request }: { request: HolderRequestDetail }): ReactNode {
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
