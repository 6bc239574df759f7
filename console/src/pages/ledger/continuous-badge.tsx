import type { ReactNode } from "react";
import type { ContinuousVerification } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { useNow } from "../../shell/use-range.ts";

/** Up to when gateways have verified everything by themselves, and how far they are. */
export function ContinuousBadge({ of }: { of: ContinuousVerification }): ReactNode {
  const nowMs = useNow(60_000);
  const { verified_at: at, mismatches, days, pending } = of;
  return (
    <span className="flex flex-wrap items-center gap-2 text-small text-ink-2">
      <Badge tone={mismatches > 0 ? "bad" : at === null ? "warn" : "good"}>
        {mismatches > 0 ? `${groupDigits(mismatches)} figures differ` : at === null ? "not verified yet" : "balances"}
      </Badge>
      <span>
        {at === null ? (
          "The first round is under way"
        ) : (
          <>
            Verified by itself up to <Moment atMs={Date.parse(at)} nowMs={nowMs} />
          </>
        )}
        {" · "}
        {groupDigits(days)} days of charges{pending > 0 && `, ${groupDigits(pending)} more in progress`}
      </span>
    </span>
  );
}
