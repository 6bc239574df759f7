import type { ReactNode } from "react";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { unitOf } from "../../format/counted.ts";
import { Card } from "../../parts/card.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useMe } from "../../shell/holder-session.ts";
import { useNow } from "../../shell/use-range.ts";
import { seriesByModel } from "../my-usage/own-series.ts";
import { bindingOf } from "./binding.ts";
import { Equation } from "./equation.tsx";
import { HolderLimits, nameOf } from "./holder-limits.tsx";
import { KeyFacts } from "./key-facts.tsx";
import { PersonFacts } from "./person-facts.tsx";
import { RunwayWords } from "./runway-words.tsx";
import { useWeek } from "./use-week.ts";

/** What the key has, what is reserved, what is left, and how long it lasts. */
export function MyKey(): ReactNode {
  const me = useMe();
  const week = useWeek();
  const nowMs = useNow(10_000);
  const unit = me.key.mode === "credit" ? "credit" : "tokens";
  const binding = bindingOf(me.limits, unit);
  const self = me.person === null ? "This key" : "This session";
  // The session of a browser says nothing of how long its person has been here.
  const sinceMs = me.person === null ? Date.parse(me.key.created_at) : 0;
  const { buckets, series } = seriesByModel(week.data, unit);
  return (
    <div className="flex flex-col gap-4">
      <Card
        title="What can I still spend?"
        lead={binding === null ? undefined : `${binding.account ?? self}: ${nameOf(binding)}`}
      >
        <div className="grid gap-x-10 gap-y-4 xl:grid-cols-2">
          <div className="flex flex-col gap-4">
            {binding !== null && <Equation limit={binding} />}
            {binding !== null && <RunwayWords limit={binding} week={week.data} sinceMs={sinceMs} nowMs={nowMs} />}
          </div>
          <p className="max-w-prose text-ink-2 wrap-anywhere">
            {me.person === null ? me.explanation : binding === null ? NOTHING_SHOWN : SHARED}
          </p>
        </div>
      </Card>
      <div className="grid items-start gap-4 *:min-w-0 xl:grid-cols-2">
        {me.limits.length > 0 && (
          <Card
            title="Which limit binds?"
            lead="A request must fit into every one of these; the one with the least available stops it first."
          >
            <HolderLimits limits={me.limits} binding={binding} />
          </Card>
        )}
        {me.person === null ? <KeyFacts me={me} /> : <PersonFacts me={me} person={me.person} />}
      </div>
      <StackedChart
        title={me.person === null ? "What did it use this week?" : "What did I use this week?"}
        lead={`${unit === "credit" ? "Credits" : "Tokens"} charged per hour, last 7 days, by model`}
        unit={unitOf(unit)}
        buckets={buckets}
        series={series}
        shown={shownOf(
          week,
          series.length === 0
            ? { title: "Nothing was charged in the last 7 days", hint: "Connect a client, or try the playground." }
            : null,
        )}
      />
    </div>
  );
}

const SHARED =
  "All your clients and browsers spend from this account together. A request reserves its highest price before it starts and gives back what it did not use.";
const NOTHING_SHOWN =
  "Your account has neither credit nor a limit of its own that you may see. An account above it pays for your requests.";
