import type { ReactNode } from "react";
import { ApiError } from "../../api/call.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { exactCredits, showCredits } from "../../format/money.ts";
import { CREDITS, DURATION, PERCENT, REQUESTS, TOKENS } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Delta } from "../../parts/delta.tsx";
import { Field } from "../../parts/field.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import type { Shown } from "../../parts/state.tsx";
import { tell, tellFailure } from "../../parts/toast.tsx";
import { SAMPLE_NOW_MS, sampleBuckets, sampleSeries } from "./sample.ts";

const trend = (seed: number) => sampleSeries(seed, 24, 900_000).at(-1)?.values ?? [];
const refusal = new ApiError({
  status: 503,
  code: "service_unavailable",
  message: "The database took longer than 2 s. The gateway serves requests meanwhile; try again in a minute.",
  requestId: "req_019a84d2c6b87c1e9d3f0a5b7e2c4d60",
  param: null,
});

export const FigureSamples = (): ReactNode => (
  <Figures>
    <Figure
      label="Charged"
      value={12_418_734_120_000n}
      before={11_023_000_000_000n}
      unit={CREDITS}
      trend={<Sparkline label="Charged" values={trend(1)} unit={CREDITS} />}
    />
    <Figure
      label="Requests"
      value={1_284_402n}
      before={1_310_220n}
      unit={REQUESTS}
      trend={<Sparkline label="Requests" values={trend(2)} unit={REQUESTS} />}
    />
    <Figure
      label="Failed"
      value={42n}
      before={57n}
      wish="less"
      unit={PERCENT}
      trend={<Sparkline label="Failed" values={trend(3)} unit={PERCENT} />}
    />
    <Figure
      label="First token, p95"
      value={1_240_000n}
      before={980_000n}
      wish="less"
      unit={DURATION}
      trend={<Sparkline label="First token" values={trend(4)} unit={DURATION} />}
    />
    <Figure label="Gateway overhead, p95" value={1_840n} unit={DURATION} note="of every request" />
    <Figure label="In flight now" value={null} unit={REQUESTS} note="not known yet" />
  </Figures>
);

const STATES: readonly [string, Shown][] = [
  ["Loading", { kind: "loading" }],
  [
    "Empty",
    {
      kind: "empty",
      title: "No request in this span",
      hint: "Choose a longer one, or send a first request.",
      command: "tollgate connect curl",
    },
  ],
  ["Error", { kind: "error", error: refusal, retry: () => tell("Tried again") }],
  ["Partial", { kind: "partial", note: "The last 5 minutes are still being counted." }],
  ["Too many", { kind: "too-many", note: "412 models; the largest 7 are shown. Filter by provider to see others." }],
  ["Ready", { kind: "ready" }],
];

export const StateSamples = (): ReactNode =>
  STATES.map(([title, shown]) => (
    <StackedChart
      key={title}
      title={`${title}: what is spent?`}
      lead="Credits per hour"
      height={160}
      shown={shown}
      buckets={sampleBuckets(24)}
      series={sampleSeries(3, 24, 4_000_000_000)}
      unit={CREDITS}
    />
  ));

const AMOUNTS = [
  0n,
  41_000n,
  4_213_000n,
  250_000_000n,
  9_740_000_000n,
  1_204_500_000_000n,
  -3_250_000_000n,
  98_765_432_123_456_789n,
];

export const PartSamples = (): ReactNode => (
  <>
    <ActionSamples />
    <FieldSamples />
    <AmountSamples />
    <ChangeSamples />
  </>
);

const ActionSamples = (): ReactNode => (
  <Card title="Actions">
    <div className="flex flex-wrap items-center gap-2">
      <Button look="primary">Create key</Button>
      <Button icon="retry">Rotate</Button>
      <Button look="quiet">Cancel</Button>
      <Button look="danger">Revoke</Button>
      <Button look="primary" busy>
        Saving
      </Button>
      <Button disabled>Not now</Button>
      <IconButton label="Copy" icon="copy" />
      <Button onClick={() => tell("Key created", "tgc_0a1Qm3xY has 10.00 credits.")}>Toast</Button>
      <Button onClick={() => tellFailure(refusal)}>Failure</Button>
    </div>
    <div className="mt-3 flex flex-wrap gap-2">
      <Badge tone="good">active</Badge>
      <Badge tone="warn">suspended</Badge>
      <Badge tone="bad">disabled</Badge>
      <Badge>revoked</Badge>
      <Badge tone="accent">you</Badge>
      <CopyText text="req_019a84d2c6b87c1e9d3f0a5b7e2c4d60" />
    </div>
  </Card>
);

const FieldSamples = (): ReactNode => (
  <Card title="Fields">
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label="Label" placeholder="my laptop" hint="Shown in lists; never sent to providers." />
      <Field label="Credit" defaultValue="-5" problem="Credit must be at least 0.000000001; you wrote -5." />
    </div>
  </Card>
);

const AmountSamples = (): ReactNode => (
  <Card title="Amounts" lead="As in a column, and every digit as on hover">
    <table className="w-full">
      <tbody>
        {AMOUNTS.map((nano) => (
          <tr key={nano.toString()} className="border-t border-line/70 first:border-0">
            <td className="py-1 text-right font-medium">{showCredits(nano)}</td>
            <td className="py-1 text-right text-ink-2">{exactCredits(nano)}</td>
            <td className="py-1 text-right text-ink-3">{CREDITS.short(nano)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Card>
);

const ChangeSamples = (): ReactNode => (
  <Card title="Change and time">
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
      <dt className="text-ink-2">spend</dt>
      <dd>
        <Delta now={1124n} before={1000n} />
      </dd>
      <dt className="text-ink-2">success</dt>
      <dd>
        <Delta now={1124n} before={1000n} wish="more" />
      </dd>
      <dt className="text-ink-2">errors</dt>
      <dd>
        <Delta now={3124n} before={1000n} wish="less" />
      </dd>
      <dt className="text-ink-2">latency</dt>
      <dd>
        <Delta now={860n} before={1000n} wish="less" />
      </dd>
      <dt className="text-ink-2">nothing before</dt>
      <dd>
        <Delta now={860n} before={0n} />
      </dd>
      <dt className="text-ink-2">moment</dt>
      <dd>
        <Moment atMs={SAMPLE_NOW_MS} />
      </dd>
      <dt className="text-ink-2">age</dt>
      <dd>
        <Moment atMs={SAMPLE_NOW_MS - 400_000} nowMs={SAMPLE_NOW_MS} />
      </dd>
      <dt className="text-ink-2">durations</dt>
      <dd>{[84n, 1_840n, 412_000n, 1_240_000n, 200_000_000n].map(DURATION.show).join(" · ")}</dd>
      <dt className="text-ink-2">counts</dt>
      <dd>
        {[999n, 12_840n, 35_102_000n, 1_200_000_000n]
          .map((count) => `${TOKENS.show(count)} = ${TOKENS.short(count)}`)
          .join(" · ")}
      </dd>
    </dl>
  </Card>
);
