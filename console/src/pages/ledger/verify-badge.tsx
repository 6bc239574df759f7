import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { tellFailure } from "../../parts/toast.tsx";

/** Recomputes every balance from the journal when asked to, and says what came of it and when. */
export function VerifyBadge(): ReactNode {
  const verified = useMutation({
    mutationFn: async () => ({ report: await call("POST /admin/v1/ledger/verify", { body: {} }), atMs: Date.now() }),
    onError: tellFailure,
  });
  const { data } = verified;
  return (
    <div className="flex flex-wrap items-center gap-3" role="status">
      {data && (
        <span className="flex flex-wrap items-center gap-2 text-small text-ink-2">
          <Badge tone={data.report.ok ? "good" : "bad"}>
            {data.report.ok
              ? "every balance matches the journal"
              : `${groupDigits(data.report.mismatches.length)}${data.report.truncated ? "+" : ""} figures differ`}
          </Badge>
          {groupDigits(data.report.charges)} charges, {groupDigits(data.report.counters)} purses and limits ·{" "}
          <Moment atMs={data.atMs} />
        </span>
      )}
      <Button icon="audit" busy={verified.isPending} onClick={() => verified.mutate()}>
        {verified.isPending ? "Verifying…" : "Verify the ledger"}
      </Button>
    </div>
  );
}
