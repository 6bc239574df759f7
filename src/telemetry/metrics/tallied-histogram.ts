import { Histogram, type Registry } from "@prometheus-io/client";
import type { MetricRow } from "./metric-table.ts";

export type HistogramRow<Label extends string = string> = MetricRow & {
  labels: readonly Label[];
  buckets: readonly number[];
};

/** Adds one duration. Allocates nothing, as it is called several times for each request. */
export type Observe = (elapsedMs: number) => void;

type Series = { labels: Record<string, string>; counts: Float64Array; sum: number };

/**
 * A histogram that adds plain numbers and makes its series when somebody asks: the library builds a string and an object for every
 * value. A series is exposed from its first value on. Durations that make no sense are left out.
 */
export function createTalliedHistogram<Label extends string>(
  row: HistogramRow<Label>,
  registry: Registry,
): (labels: Readonly<Record<Label, string>>) => Observe {
  const { name, help, buckets } = row;
  const all: Series[] = [];
  const histogram = new Histogram({
    name,
    help,
    labelNames: [...row.labels],
    buckets: [...buckets],
    registers: [],
  });
  const read = async () => ({ name, help, type: "histogram", aggregator: "sum", values: all.flatMap(valuesOf) });
  registry.registerMetric(Object.assign(histogram, { get: read, getForPromString: read }));

  function valuesOf({ labels, counts, sum }: Series) {
    let count = 0;
    const below = [...buckets, "+Inf"].map((le, place) => {
      count += counts[place] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    if (count === 0) return [];
    return [
      ...below,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }

  return (labels) => {
    const series: Series = { labels: { ...labels }, counts: new Float64Array(buckets.length + 1), sum: 0 };
    const { counts } = series;
    all.push(series);
    return (elapsedMs) => {
      const seconds = elapsedMs / 1_000;
      if (!(seconds >= 0 && seconds < Number.POSITIVE_INFINITY)) return;
      let place = 0;
      while (seconds > (buckets[place] ?? Number.POSITIVE_INFINITY)) place++;
      counts[place] = (counts[place] ?? 0) + 1;
      series.sum += seconds;
    };
  };
}
