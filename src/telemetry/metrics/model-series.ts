import { Counter, type Registry } from "@prometheus-io/client";
import type { BoundedLabel } from "./bounded-label.ts";
import { COUNTERS, HISTOGRAMS } from "./metric-table.ts";
import { createTalliedHistogram, type Observe } from "./tallied-histogram.ts";
import { countable } from "./tally.ts";

export type ModelRequest = {
  /** Its id in the catalogue; null: none was found. */
  model: string | null;
  /** The one that was asked last; null: none was. */
  provider: string | null;
  /** Set where the response was an error, also after a status of 200. */
  code: string | null;
  totalMs: number;
  firstByteMs: number | null;
  inputTokens: number;
  outputTokens: number;
};

type Labels = { model: string; provider: string };

/** What one model did at one provider since the last scrape. */
type Since = {
  labels: Labels;
  took: Observe;
  firstByte: Observe;
  input: number;
  output: number;
  errors: Map<string, number>;
};

const OTHER = "other";
const NO_PROVIDER = "none";

/**
 * Counts requests by model and provider: the first `limit` pairs under their names, further models as `other`, so that series cannot grow
 * without end. Names are those of the catalogue, never what a client asked for.
 */
export function createModelSeries(
  { limit, providerLabel }: { limit: number; providerLabel: BoundedLabel },
  registry: Registry,
): (request: ModelRequest) => void {
  const all: Since[] = [];
  const models = new Map<string, Map<string, Since>>();
  let pairs = 0;
  const requestSeconds = createTalliedHistogram(HISTOGRAMS.modelRequestSeconds, registry);
  const firstByteSeconds = createTalliedHistogram(HISTOGRAMS.modelFirstByteSeconds, registry);
  countTokens(all, registry);
  countErrors(all, registry);

  function add(model: string, provider: string): Since {
    const labels = { model, provider };
    const since: Since = {
      labels,
      took: requestSeconds(labels),
      firstByte: firstByteSeconds(labels),
      input: 0,
      output: 0,
      errors: new Map(),
    };
    all.push(since);
    const providers = models.get(model) ?? new Map<string, Since>();
    models.set(model, providers.set(provider, since));
    return since;
  }

  function find(model: string, provider: string): Since {
    const known = models.get(model)?.get(provider);
    if (known !== undefined) return known;
    if (pairs < limit) {
      pairs += 1;
      return add(model, provider);
    }
    const bounded = providerLabel(provider);
    return models.get(OTHER)?.get(bounded) ?? add(OTHER, bounded);
  }

  return ({ model, provider, code, totalMs, firstByteMs, inputTokens, outputTokens }) => {
    if (model === null) return;
    const since = find(model, provider ?? NO_PROVIDER);
    since.took(totalMs);
    if (firstByteMs !== null) since.firstByte(firstByteMs);
    if (countable(inputTokens)) since.input += inputTokens;
    if (countable(outputTokens)) since.output += outputTokens;
    if (code !== null) since.errors.set(code, (since.errors.get(code) ?? 0) + 1);
  };
}

function countTokens(all: readonly Since[], registry: Registry): void {
  const { name, help, labels: labelNames } = COUNTERS.modelTokens;
  const counter = new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    collect() {
      for (const since of all) {
        this.inc({ ...since.labels, direction: "input" }, since.input);
        this.inc({ ...since.labels, direction: "output" }, since.output);
        since.input = 0;
        since.output = 0;
      }
    },
  });
  registry.registerMetric(counter);
}

function countErrors(all: readonly Since[], registry: Registry): void {
  const { name, help, labels: labelNames } = COUNTERS.modelErrors;
  const counter = new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    collect() {
      for (const { labels, errors } of all) {
        for (const [code, count] of errors) this.inc({ ...labels, code }, count);
        errors.clear();
      }
    },
  });
  registry.registerMetric(counter);
}
