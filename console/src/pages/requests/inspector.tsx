import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../../api/call.ts";
import { queryOf } from "../../api/query.ts";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { Skeleton, Stateful } from "../../parts/state.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { RequestFacts } from "./request-facts.tsx";
import { RequestHead } from "./request-head.tsx";
import { RequestLedger } from "./request-ledger.tsx";
import { MoneyPath } from "./money-path.tsx";
import { PriceArithmetic } from "./price-arithmetic.tsx";
import { Refusal } from "./refusal.tsx";
import { RequestWaterfall } from "./request-waterfall.tsx";

/** A record is written within a second or two after its request has ended. */
const LATE_TRIES = 4;
const LATE_MS = 1000;

/** One request: where its time went, what it cost and why, what its caller got. */
export function Inspector(): ReactNode {
  const { request: id } = useParams({ from: "/shell/requests/$request" });
  const asked = useQuery({
    ...queryOf("GET /admin/v1/requests/{request}", { params: { request: id } }),
    retry: (count, error) => count < LATE_TRIES && error instanceof ApiError && error.status === 404,
    retryDelay: LATE_MS,
  });
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

const Inspected = ({ request }: { request: RequestDetail }): ReactNode => (
  <>
    <RequestHead request={request} />
    {request.refusal !== null && <Refusal request={request} message={request.refusal} />}
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <RequestWaterfall request={request} />
      <RequestFacts request={request} />
    </div>
    {request.money !== null && (
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <PriceArithmetic money={request.money} />
        <MoneyPath money={request.money} />
      </div>
    )}
    {request.money !== null && <RequestLedger money={request.money} />}
    <div className="flex max-w-full min-w-0 flex-wrap items-center gap-2 text-small text-ink-2">
      The same in a terminal:
      <CopyText text={`tollgate requests show ${request.request_id}`} />
    </div>
  </>
);
