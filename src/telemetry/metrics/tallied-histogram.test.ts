import { Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { createTalliedHistogram } from "./tallied-histogram.ts";

const row = { name: "x_seconds", help: "Some time.", labels: ["lane"], buckets: [0.01, 0.1] } as const;

function build() {
  const registry = new Registry();
  const histogram = createTalliedHistogram(row, registry);
  return { registry, observe: histogram({ lane: "turn" }), other: histogram({ lane: "other" }) };
}

test("a histogram has its buckets with what is below them, the sum and the count, and none of a series without a value", async () => {
  const { registry, observe } = build();

  for (const ms of [10, 50, 2_000]) observe(ms);

  expect(await registry.metrics()).toBe(
    `${[
      "# HELP x_seconds Some time.",
      "# TYPE x_seconds histogram",
      'x_seconds_bucket{le="0.01",lane="turn"} 1',
      'x_seconds_bucket{le="0.1",lane="turn"} 2',
      'x_seconds_bucket{le="+Inf",lane="turn"} 3',
      'x_seconds_sum{lane="turn"} 2.06',
      'x_seconds_count{lane="turn"} 3',
    ].join("\n")}\n`,
  );
});

test("a duration that makes no sense is left out", async () => {
  const { registry, observe, other } = build();

  for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) observe(ms);
  other(0);

  expect(await registry.metrics()).not.toContain('lane="turn"');
  expect(await registry.metrics()).toContain('x_seconds_count{lane="other"} 1');
});

test("histograms of several processes are summed bucket by bucket", async () => {
  const [one, two] = [build(), build()];
  one.observe(5);
  two.observe(50);

  const sum = Registry.aggregate([await one.registry.getMetricsAsJSON(), await two.registry.getMetricsAsJSON()]);

  const text = await sum.metrics();
  expect(text).toContain('x_seconds_bucket{le="0.01",lane="turn"} 1');
  expect(text).toContain('x_seconds_bucket{le="0.1",lane="turn"} 2');
  expect(text).toContain('x_seconds_count{lane="turn"} 2');
});
