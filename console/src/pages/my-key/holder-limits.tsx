import type { ReactNode } from "react";
import type { HolderLimit } from "../../api/generated/holder.ts";
import { CounterBar } from "../../charts/counter-bar.tsx";
import { PERIODS, readCounted } from "../../format/counted.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";

type Props = { limits: readonly HolderLimit[]; binding: HolderLimit | null };

/** Every purse and limit that a request of the key must pass, the key's own first. */
export const HolderLimits = ({ limits, binding }: Props): ReactNode => (
  <ul className="flex flex-col divide-y divide-line">
    {limits.map((limit, index) => (
      <li key={index} className="py-3 first:pt-0 last:pb-0">
        <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3">
          <h3 className="flex min-w-0 flex-wrap items-center gap-x-2 font-medium">
            <span className="min-w-0 wrap-anywhere">{limit.account ?? "This key"}</span>
            <span className="font-normal text-ink-2">{nameOf(limit)}</span>
            {limit === binding && limits.length > 1 && <Badge tone="accent">binds</Badge>}
          </h3>
          {limit.renews_at !== null && (
            <span className="text-small text-ink-3">
              renews <Moment atMs={Date.parse(limit.renews_at)} />
            </span>
          )}
        </div>
        {limit.models !== null && (
          <p className="mb-1.5 text-small text-ink-2 wrap-anywhere">counts {limit.models.join(", ")} only</p>
        )}
        <CounterBar {...readCounted(limit)} />
      </li>
    ))}
  </ul>
);

const UNITS = { credit: "credits", tokens: "tokens" } as const;

export const nameOf = ({ kind, unit, period }: Pick<HolderLimit, "kind" | "unit" | "period">): string =>
  kind === "purse" ? "prepaid credit" : `limit in ${UNITS[unit]} ${PERIODS[period]}`;
