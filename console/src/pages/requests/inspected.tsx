import type { ReactNode } from "react";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { type Span, Waterfall } from "../../charts/waterfall.tsx";
import { Card } from "../../parts/card.tsx";
import { CodeWords } from "../../parts/code-words.tsx";
import { type LedgerRow, RequestLedger } from "./request-ledger.tsx";
import { type CountedRequest, RequestHead } from "./request-head.tsx";
import { MoneyPath } from "./money-path.tsx";
import { PriceArithmetic, type Priced } from "./price-arithmetic.tsx";

type Props = {
  request: CountedRequest & Pick<RequestDetail, "refusal">;
  /** Null: nothing was reserved. */
  money: (Priced & { entries: readonly LedgerRow[] }) | null;
  spans: readonly Span[];
  /** Of the time it took. */
  lead: string;
  facts: ReactNode;
  actions?: ReactNode;
  afterRefusal: ReactNode;
};

/** One request: where its time went, what it cost and why, what its client got. */
export const Inspected = ({ request, money, spans, lead, facts, actions, afterRefusal }: Props): ReactNode => (
  <>
    <RequestHead request={request} actions={actions} />
    {request.refusal !== null && (
      <Card title="What did the client get?" lead={`HTTP ${request.status}, error code ${request.code}`}>
        <blockquote className="border-l-2 border-bad pl-3 text-title wrap-anywhere">
          <CodeWords text={request.refusal} />
        </blockquote>
        <div className="mt-3">{afterRefusal}</div>
      </Card>
    )}
    <div className="grid items-start gap-4 *:min-w-0 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <Waterfall title="Where did the time go?" lead={lead} spans={spans} />
      {facts}
    </div>
    {money !== null && (
      <div className="grid items-start gap-4 *:min-w-0 xl:grid-cols-2">
        <PriceArithmetic money={money} />
        <MoneyPath money={money} />
      </div>
    )}
    {money !== null && money.entries.length > 0 && <RequestLedger entries={money.entries} />}
  </>
);
