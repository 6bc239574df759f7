import type { ReactNode } from "react";
import { BurnDown } from "../../charts/burn-down.tsx";
import { CounterBar } from "../../charts/counter-bar.tsx";
import { Heatmap } from "../../charts/heatmap.tsx";
import { Histogram } from "../../charts/histogram.tsx";
import { RankedBars } from "../../charts/ranked-bars.tsx";
import { StateTimeline } from "../../charts/state-timeline.tsx";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { type Step, StepLine } from "../../charts/step-line.tsx";
import { type Span, Waterfall } from "../../charts/waterfall.tsx";
import { sumOf } from "../../charts/series.ts";
import { DAY_MS, HOUR_MS } from "../../format/time.ts";
import { CREDITS, DURATION, REQUESTS, TOKENS } from "../../format/unit.ts";
import { Card } from "../../parts/card.tsx";
import { tell } from "../../parts/toast.tsx";
import { createSample, SAMPLE_NOW_MS, sampleBuckets, sampleSeries } from "./sample.ts";

const buckets = sampleBuckets(48);
const spend = sampleSeries(11, 48, 9_000_000_000);
const pick = (from: number, to: number): void =>
  tell("Picked", `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`);
const range = (from: number, to: number): void =>
  tell("Range", `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`);

const OUTCOMES = [
  "delivered",
  "402 insufficient_credit",
  "429 rate_limit_exceeded",
  "502 provider_unavailable",
  "cancelled",
];
const OUTCOME_COLOURS = ["var(--series-1)", "var(--series-4)", "var(--series-3)", "var(--bad)", "var(--series-other)"];
const SHARES = [1, 0.04, 0.07, 0.02, 0.05];
const outcomes = OUTCOMES.map((name, place) => ({
  id: name,
  name,
  values: (spend[0]?.values ?? []).map((value) =>
    BigInt(Math.round((Number(value) / 8_000_000) * (SHARES[place] ?? 0))),
  ),
}));

export const SeriesSamples = (): ReactNode => (
  <>
    <StackedChart
      title="What is spent on which model?"
      lead="Credits charged per hour; 11 models, the smallest summed"
      buckets={buckets}
      series={spend}
      unit={CREDITS}
      onPick={pick}
      onRange={range}
      onPickSeries={(id) => tell(id)}
    />
    <StackedChart
      title="How do requests end?"
      lead="Requests per hour, by outcome"
      buckets={buckets}
      series={outcomes}
      colours={OUTCOME_COLOURS}
      unit={REQUESTS}
      onPick={pick}
    />
    <StackedChart
      title="How many tokens pass through?"
      lead="Tokens per hour"
      shape="area"
      buckets={buckets}
      series={sampleSeries(3, 48, 40_000_000).map((one, place) => ({
        ...one,
        name: ["input", "cached input", "output"][place] ?? "",
      }))}
      unit={TOKENS}
    />
    <StackedChart
      title="What is spent each day?"
      lead="Credits charged by day, ninety days"
      buckets={sampleBuckets(90, DAY_MS)}
      series={sampleSeries(1, 90, 42_000_000_000)}
      unit={CREDITS}
      onRange={range}
    />
  </>
);

const BOUNDS = [20, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800].map((ms) => BigInt(ms * 1000));

function heat(): { counts: bigint[][]; lines: { name: string; values: bigint[]; whole: bigint }[] } {
  const next = createSample(3);
  const centres = buckets.startsMs.map(
    (_at, index) => 3.6 + Math.sin(index / 7) * 0.9 + (index > 30 && index < 35 ? 1.6 : 0) + next() * 0.4,
  );
  const counts = centres.map((centre) =>
    BOUNDS.map((_bound, bin) =>
      BigInt(Math.max(0, Math.round(420 * Math.exp(-((bin - centre) ** 2) / 2.2) - 6 + next() * 6))),
    ),
  );
  const at = (shift: number) => centres.map((centre) => BigInt(Math.round(20_000 * 2 ** (centre + shift - 0.5))));
  return {
    counts,
    lines: [
      { name: "p50", values: at(0), whole: 412_000n },
      { name: "p95", values: at(1.8), whole: 1_840_000n },
      { name: "p99", values: at(2.9), whole: 4_200_000n },
    ],
  };
}

const bins = BOUNDS.map((to, index) => ({
  from: index === 0 ? 0n : (BOUNDS[index - 1] ?? 0n),
  to,
  count: sumOf(heat().counts.map((column) => column[index] ?? 0n)),
}));

export const TimeSamples = (): ReactNode => (
  <>
    <Heatmap
      title="How long until the first token?"
      lead="Time to first token, per hour; a stronger colour means more requests"
      buckets={buckets}
      boundsUs={BOUNDS}
      {...heat()}
      onPick={pick}
      onRange={range}
    />
    <Histogram
      title="How long do requests take?"
      lead="Requests by total time"
      bins={bins}
      unit={DURATION}
      onPick={({ from, to }) => tell("Picked", `${DURATION.show(from)} to ${DURATION.show(to)}`)}
    />
    <StepLine
      title="What was the balance?"
      lead="Credits available to Acme/Search"
      steps={steps()}
      untilMs={SAMPLE_NOW_MS}
      unit={CREDITS}
      onPick={(index) => tell(`Entry ${index}`)}
    />
    <Waterfall
      title="Where did the time of this request go?"
      lead="req_019a84d2c6b87c1e9d3f0a5b7e2c4d60, 3.42 s in all"
      spans={SPANS}
      onPick={(id) => tell(id)}
    />
  </>
);

function steps(): Step[] {
  const next = createSample(11);
  let value = 120_000_000_000n;
  return Array.from({ length: 60 }, (_step, index) => {
    const isTopUp = index === 22 || index === 45;
    value = isTopUp ? value + 100_000_000_000n : value - BigInt(Math.round(next() * 4_900_000_000));
    return { atMs: SAMPLE_NOW_MS - (60 - index) * 6 * HOUR_MS, value, note: isTopUp ? "top-up" : "charge" };
  });
}

const us = (ms: number): bigint => BigInt(Math.round(ms * 1000));
const SPANS: readonly Span[] = [
  { id: "auth", name: "find the key", fromUs: 0n, toUs: us(0.4), kind: "own" },
  { id: "reserve", name: "reserve 0.0412 credits", fromUs: us(0.4), toUs: us(5.2), kind: "money" },
  { id: "first", name: "acme: 529 overloaded", fromUs: us(5.2), toUs: us(412), kind: "failed", note: "next route" },
  { id: "second", name: "northwind: connect", fromUs: us(412), toUs: us(498), kind: "provider" },
  { id: "ttft", name: "first token", fromUs: us(498), toUs: us(1240), kind: "provider" },
  { id: "stream", name: "stream 1,204 tokens", fromUs: us(1240), toUs: us(3411), kind: "provider" },
  { id: "settle", name: "charge 0.0187, release 0.0225", fromUs: us(3411), toUs: us(3418), kind: "money" },
];

const ONE = 1_000_000_000n;

const minute = (before: number): number => SAMPLE_NOW_MS - before * 60_000;
const STATES = [
  {
    id: "acme",
    name: "acme · large",
    spans: [
      { fromMs: minute(240), toMs: minute(95), kind: "well", name: "in use" },
      { fromMs: minute(95), toMs: minute(84), kind: "ill", name: "skipped", note: "server_error" },
      { fromMs: minute(84), toMs: minute(70), kind: "doubt", name: "on trial" },
      { fromMs: minute(70), toMs: minute(0), kind: "well", name: "in use" },
    ],
  },
  {
    id: "northwind",
    name: "northwind · northwind-70b-instruct-2026-10-preview",
    spans: [{ fromMs: minute(150), toMs: minute(0), kind: "well", name: "in use" }],
  },
] as const;

export const BarSamples = (): ReactNode => (
  <>
    <RankedBars
      title="Who spends most?"
      lead="Credits charged"
      unit={CREDITS}
      ranks={spend.map(({ id, name, values }) => ({ id, name, value: sumOf(values) }))}
      onPick={(id) => tell(id)}
    />
    <StateTimeline
      title="When were routes skipped?"
      lead="Each route's breaker; nothing is drawn where nothing is known"
      rows={STATES}
      fromMs={minute(240)}
      toMs={minute(0)}
      words={{ well: "in use", doubt: "on trial", ill: "skipped" }}
      onPick={(id) => tell(id)}
    />
    <Card title="Counters" lead="Charged, reserved, available; the ticks are thresholds">
      <div className="flex flex-col gap-4">
        <CounterBar
          charged={412n * ONE}
          reserved={31n * ONE}
          available={557n * ONE}
          unit={CREDITS}
          thresholds={[80, 95]}
        />
        <CounterBar
          charged={861n * ONE}
          reserved={52n * ONE}
          available={87n * ONE}
          unit={CREDITS}
          thresholds={[80, 95]}
        />
        <CounterBar charged={2_000_000n} reserved={0n} available={0n} unit={TOKENS} thresholds={[80]} />
        <CounterBar charged={0n} reserved={0n} available={0n} unit={TOKENS} />
        <div className="flex flex-col gap-1">
          <BurnDown held={41_200_000n} produced={7_300_000n} unit={CREDITS} />
          <BurnDown held={41_200_000n} produced={39_800_000n} unit={CREDITS} />
          <BurnDown held={0n} produced={0n} unit={CREDITS} />
        </div>
      </div>
    </Card>
  </>
);
