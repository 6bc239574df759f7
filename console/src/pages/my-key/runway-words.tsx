import type { ReactNode } from "react";
import type { HolderLimit } from "../../api/generated/holder.ts";
import type { AnswerOf } from "../../api/call.ts";
import { readAmount, unitOf } from "../../format/counted.ts";
import { Moment } from "../../parts/amount.tsx";
import { runwayOf, showDays } from "./runway.ts";

type Props = {
  limit: HolderLimit;
  week: AnswerOf<"GET /me/series"> | undefined;
  /** A key that is younger than the week has a shorter one. */
  sinceMs: number;
  nowMs: number;
};

/** How long it lasts at this key's own pace, and when it renews. */
export function RunwayWords({ limit, week, sinceMs, nowMs }: Props): ReactNode {
  const unit = unitOf(limit.unit);
  const renewsAtMs = limit.renews_at === null ? null : Date.parse(limit.renews_at);
  if (week === undefined) return <Part name="Runway" value="…" />;
  const used = readAmount(limit.unit, limit.unit === "credit" ? week.total.credits : week.total.tokens);
  const runway = runwayOf({
    available: readAmount(limit.unit, limit.available),
    used,
    fromMs: Math.max(sinceMs, Date.parse(week.from)),
    toMs: nowMs,
    renewsAtMs,
  });
  const pace = "perDay" in runway ? `at ${unit.show(runway.perDay)} ${unit.name} per day, as in the last 7 days` : "";
  const shared = limit.account === null ? "" : "; others who share it make it shorter";
  const words = {
    unused: ["none", "not used in the last 7 days"],
    empty: ["used up", "requests are rejected until it is topped up or renews"],
    lasts: [runway.kind === "lasts" ? showDays(runway.days) : "", `${pace}${shared}`],
    renews: ["until it renews", `${pace}${shared}`],
  }[runway.kind];
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-3">
      <Part name="Runway" value={words[0] ?? ""} note={words[1]} />
      <Part
        name="Renewal"
        value={renewsAtMs === null ? "none" : <Moment atMs={renewsAtMs} />}
        note={renewsAtMs === null ? "it lasts until it is used up" : <Moment atMs={renewsAtMs} nowMs={nowMs} />}
      />
    </dl>
  );
}

const Part = ({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }): ReactNode => (
  <div className="min-w-0">
    <dt className="text-small text-ink-2">{name}</dt>
    <dd className="text-title font-semibold">{value}</dd>
    <dd className="text-small text-ink-3">{note}</dd>
  </div>
);
