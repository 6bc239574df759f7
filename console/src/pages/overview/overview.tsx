import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { queryOf } from "../../api/query.ts";
import { MOST_SERIES } from "../../charts/series.ts";
import { InSight } from "../../parts/in-sight.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { type Shown, Skeleton } from "../../parts/state.tsx";
import { usePageSearch } from "../../shell/use-range.ts";
import { CreditOutstanding } from "./credit-outstanding.tsx";
import { FirstToken } from "./first-token.tsx";
import { Outcomes } from "./outcomes.tsx";
import { OverviewFigures } from "./overview-figures.tsx";
import { ProviderStrip } from "./provider-strip.tsx";
import { stepFor } from "./series-of.ts";
import { type SpendGroup, SpendOverTime } from "./spend-over-time.tsx";

/** Below what is seen first, and so fetched after it. */
const TopSpenders = lazy(async () => ({ default: (await import("./top-spenders.tsx")).TopSpenders }));
const TokensOverTime = lazy(async () => ({ default: (await import("./tokens-over-time.tsx")).TokensOverTime }));
const BELOW_HEIGHT = 320;

/** With the group of all others, as many as a chart has colours. */
const MOST_GROUPS = MOST_SERIES - 1;
const FILTERED = ["account", "key", "model", "provider"] as const;
const NOTHING = {
  title: "No requests in this span",
  hint: (
    <>
      Choose a longer one, or{" "}
      <Link to="/first-run" className="text-accent underline">
        set the gateway up
      </Link>{" "}
      and send a first request.
    </>
  ),
};

/** Where the money goes, how requests end and how long they take. */
export function Overview(): ReactNode {
  const { range, search, change } = usePageSearch();
  const [by, setBy] = useState<SpendGroup>("model");
  const span = { from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() };
  const before = { from: new Date(2 * range.fromMs - range.toMs).toISOString(), to: span.from };
  const filters = Object.fromEntries(
    FILTERED.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  ) as Partial<Record<(typeof FILTERED)[number], string>>;
  const ask = (query: typeof span & { by?: SpendGroup }) => ({
    ...queryOf("GET /admin/v1/series", {
      query: { ...query, ...filters, step: stepFor(range.toMs - range.fromMs), top: MOST_GROUPS },
    }),
    placeholderData: <Kept,>(kept: Kept) => kept,
  });
  const series = useQuery(ask({ ...span, by }));
  const past = useQuery(ask(before));
  const shown: Shown = shownOf(series, series.data?.points.length === 0 ? NOTHING : null);
  const parts = {
    answer: series.data,
    shown,
    onRange: (fromMs: number, toMs: number) =>
      change({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }),
  };
  return (
    <div className="flex flex-col gap-4">
      <OverviewFigures now={series.data} before={past.data} />
      <div className="grid gap-4 *:min-w-0 xl:grid-cols-[minmax(240px,1fr)_minmax(0,3fr)]">
        <CreditOutstanding />
        <ProviderStrip span={{ ...span, ...filters }} />
      </div>
      <div className="grid gap-4 *:min-w-0 xl:grid-cols-2">
        <SpendOverTime {...parts} by={by} onBy={setBy} onPick={(id) => change({ [by]: id })} />
        <Outcomes {...parts} />
        <FirstToken {...parts} />
        <InSight height={BELOW_HEIGHT}>
          <Suspense fallback={<Skeleton height={BELOW_HEIGHT} />}>
            <TokensOverTime {...parts} />
          </Suspense>
        </InSight>
        <InSight height={BELOW_HEIGHT}>
          <Suspense fallback={<Skeleton height={BELOW_HEIGHT} />}>
            <TopSpenders
              title="Which accounts spend most?"
              query={{ ...span, ...filters, by: "account" }}
              onPick={(account) => change({ account })}
            />
          </Suspense>
        </InSight>
        <InSight height={BELOW_HEIGHT}>
          <Suspense fallback={<Skeleton height={BELOW_HEIGHT} />}>
            <TopSpenders
              title="Which keys spend most?"
              query={{ ...span, ...filters, by: "key" }}
              onPick={(key) => change({ key })}
            />
          </Suspense>
        </InSight>
      </div>
    </div>
  );
}
