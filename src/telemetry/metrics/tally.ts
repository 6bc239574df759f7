import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { GaugeRow, MetricRow } from "./metric-table.ts";

type TallyRow = MetricRow & { labels: readonly [string] };

/**
 * A counter with one label of few, known values. It adds plain numbers and tells the library when somebody asks: the library
 * builds a string for every increment. All its series exist from the start, at zero.
 */
export function createTally<Value extends string>(
  row: TallyRow,
  values: readonly Value[],
  registry: Registry,
): (value: Value, amount: number) => void {
  const pending = Object.fromEntries(values.map((value) => [value, 0])) as Record<Value, number>;
  const [label] = row.labels;
  const counter = new Counter<string>({
    name: row.name,
    help: row.help,
    labelNames: [label],
    registers: [],
    collect() {
      for (const value of values) {
        this.inc({ [label]: value }, pending[value]);
        pending[value] = 0;
      }
    },
  });
  registry.registerMetric(counter);
  return (value, amount) => {
    pending[value] += amount;
  };
}

export const countable = (tokens: number): boolean => tokens > 0 && Number.isSafeInteger(tokens);

/** A number that goes up and down, read when somebody asks. */
export function createLevel(row: GaugeRow, registry: Registry): { current: number } {
  const level = { current: 0 };
  const gauge = new Gauge({
    name: row.name,
    help: row.help,
    aggregator: row.overWorkers,
    registers: [],
    collect() {
      this.set(level.current);
    },
  });
  registry.registerMetric(gauge);
  return level;
}

/** A number that is not always known: without one there is no series, so that no graph and no alert takes it for 0. */
export function createReading(row: GaugeRow, registry: Registry): { current: number | null } {
  const reading: { current: number | null } = { current: null };
  const gauge = new Gauge({
    name: row.name,
    help: row.help,
    aggregator: row.overWorkers,
    registers: [],
    collect() {
      if (reading.current === null) this.remove();
      else this.set(reading.current);
    },
  });
  registry.registerMetric(gauge);
  return reading;
}
