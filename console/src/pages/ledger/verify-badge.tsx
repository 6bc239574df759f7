import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useChange } from "../../api/use-change.ts";
import type { PastVerification } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { tellFailure } from "../../parts/toast.tsx";
import { useMay } from "../../shell/may.ts";
import { useNow } from "../../shell/use-range.ts";
import { ContinuousBadge } from "./continuous-badge.tsx";
import { verificationsQuery } from "./verifications-query.ts";

/** When the whole ledger was verified last, by whom and with what result; and a button that does it again. */
export function VerifyBadge(): ReactNode {
  const may = useMay();
  const { change, reread } = useChange();
  const { data } = useQuery({ ...verificationsQuery, enabled: may("listVerifications") });
  const verified = useMutation({
    mutationFn: () => change("POST /admin/v1/ledger/verify", { body: {} }),
    onError: tellFailure,
    onSettled: reread,
  });
  return (
    <div className="flex flex-wrap items-center gap-3" role="status">
      {data?.continuous && <ContinuousBadge of={data.continuous} />}
      {data && <LastVerification of={data.whole} />}
      {may("verifyLedger") && (
        <Button icon="audit" busy={verified.isPending} onClick={() => verified.mutate()}>
          {verified.isPending ? "Verifying…" : "Verify the ledger"}
        </Button>
      )}
    </div>
  );
}

export const verdictOf = ({ ok, mismatches, truncated }: PastVerification): string =>
  ok ? "every balance matches the journal" : `${groupDigits(mismatches)}${truncated ? "+" : ""} figures differ`;

/** Null: it never was. */
export function LastVerification({ of: last }: { of: PastVerification | null }): ReactNode {
  const nowMs = useNow(60_000);
  if (last === null) return <Badge tone="warn">never verified</Badge>;
  return (
    <span className="flex flex-wrap items-center gap-2 text-small text-ink-2">
      <Badge tone={last.ok ? "good" : "bad"}>{verdictOf(last)}</Badge>
      <span>
        {groupDigits(last.charges)} charges, {groupDigits(last.counters)} purses and limits ·{" "}
        <Moment atMs={Date.parse(last.started_at)} nowMs={nowMs} /> by {last.actor}
      </span>
    </span>
  );
}
