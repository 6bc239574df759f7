import type { ReactNode } from "react";
import type { HolderLimit } from "../../api/generated/holder.ts";
import { CounterBar } from "../../charts/counter-bar.tsx";
import { PERIODS, readCounted } from "../../format/counted.ts";
import { Amount, Moment } from "../../parts/amount.tsx";

/** Every purse and limit that a request of the key must pass, the key's own first. */
export const HolderLimits = ({ limits }: { limits: readonly HolderLimit[] }): ReactNode => (
  <ul className="flex flex-col gap-4">
    {limits.map((limit, index) => (
      <li key={index}>
        <div className="mb-1 flex flex-wrap items-baseline justify-between gap-2">
          <h3 className="font-medium">
            {limit.account ?? "This key"}{" "}
            <span className="font-normal text-ink-2">
              {limit.kind === "purse" ? "credit" : `limit ${PERIODS[limit.period]}`}
            </span>
          </h3>
          {limit.renews_at !== null && (
            <span className="text-small text-ink-3">
              renews <Moment atMs={Date.parse(limit.renews_at)} />
            </span>
          )}
        </div>
        <p className="mb-2 text-figure font-semibold tracking-tight">
          <Amount value={readCounted(limit).available} unit={readCounted(limit).unit} />
          <span className="text-body font-normal tracking-normal text-ink-2">
            {" "}
            {readCounted(limit).unit.name} available
          </span>
        </p>
        <CounterBar {...readCounted(limit)} />
      </li>
    ))}
  </ul>
);
