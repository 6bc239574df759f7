import { expect, test } from "vitest";
import { createMetrics, type Metrics, type MetricSnapshot } from "./metrics.ts";
import { createWorkerTotals } from "./worker-totals.ts";

const valueOf = (text: string, series: string): number | null => {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
};

/** As it arrives in another process. */
const sent = async (metrics: Metrics): Promise<MetricSnapshot> =>
  JSON.parse(JSON.stringify(await metrics.snapshot())) as MetricSnapshot;

function worker({ finished = 0, open = 0, ledgerUp = 1 as 0 | 1, quarantined = 0 }): Metrics {
  const metrics = createMetrics();
  for (let count = 0; count < finished + open; count++) metrics.requestOpened();
  for (let count = 0; count < finished; count++)
    metrics.requestFinished({
      route: "messages",
      dialect: "messages",
      status: 200,
      code: null,
      outcome: "completed",
      totalMs: 20,
      overheadMs: 2,
      inputTokens: 10,
      outputTokens: 1,
      key: null,
      model: null,
      provider: null,
      firstByteMs: null,
    });
  metrics.ledgerUp(ledgerUp);
  metrics.holdsQuarantined(quarantined);
  return metrics;
}

test("counters and histograms are summed, and each gauge by its own rule", async () => {
  const totals = createWorkerTotals();
  totals.note("1", await sent(worker({ finished: 3, open: 2, quarantined: 4 })));
  totals.note("2", await sent(worker({ finished: 5, open: 1, ledgerUp: 0, quarantined: 4 })));
  const { text, contentType } = await totals.expose({ workers: 2, answered: ["1", "2"] });

  expect(contentType).toContain("text/plain");
  expect(valueOf(text, 'tollgate_tokens_total{direction="input"}')).toBe(80);
  expect(valueOf(text, 'tollgate_request_seconds_count{route="messages"}')).toBe(8);
  expect(valueOf(text, 'tollgate_request_seconds_bucket{le="0.025",route="messages"}')).toBe(8);
  expect(valueOf(text, "tollgate_open_requests")).toBe(3);
  expect(valueOf(text, "tollgate_ledger_up")).toBe(0);
  expect(valueOf(text, "tollgate_holds_quarantined")).toBe(4);
  expect(valueOf(text, "tollgate_workers")).toBe(2);
  expect(valueOf(text, "tollgate_workers_answered")).toBe(2);
});

test("a worker that does not answer keeps its last counters in the sum, and its gauges leave it", async () => {
  const totals = createWorkerTotals();
  totals.note("1", await sent(worker({ finished: 3 })));
  totals.note("2", await sent(worker({ finished: 5, open: 7, ledgerUp: 0 })));
  const { text } = await totals.expose({ workers: 2, answered: ["1"] });

  expect(valueOf(text, 'tollgate_tokens_total{direction="input"}')).toBe(80);
  expect(valueOf(text, "tollgate_open_requests")).toBe(0);
  expect(valueOf(text, "tollgate_ledger_up")).toBe(1);
  expect(valueOf(text, "tollgate_workers_answered")).toBe(1);
});

test("counters do not go back when workers end and others take their place, however often", async () => {
  const totals = createWorkerTotals();
  let before = 0;
  for (let generation = 1; generation <= 4; generation++) {
    const id = String(generation);
    totals.note(id, await sent(worker({ finished: 2 })));
    const alive = await totals.expose({ workers: 1, answered: [id] });
    totals.ended(id);
    // What it said last may arrive after it has ended.
    totals.note(id, await sent(worker({ finished: 3 })));
    const ended = await totals.expose({ workers: 1, answered: [] });
    const [first, then] = [alive, ended].map(({ text }) =>
      valueOf(text, 'tollgate_request_seconds_count{route="messages"}'),
    );

    expect([first, then]).toEqual([before + 2, before + 3]);
    before += 3;
  }
});

test("a worker that ends without a last word keeps in the sum what it had counted", async () => {
  const totals = createWorkerTotals();
  totals.note("1", await sent(worker({ finished: 2 })));
  totals.ended("1");
  totals.note("2", await sent(worker({ finished: 3 })));
  totals.ended("2");
  const { text } = await totals.expose({ workers: 1, answered: [] });

  expect(valueOf(text, 'tollgate_request_seconds_count{route="messages"}')).toBe(5);
});

test("what the last worker said of itself is not said of nobody", async () => {
  const totals = createWorkerTotals();
  totals.note("1", await sent(worker({ open: 1 })));
  totals.ended("1");
  const { text } = await totals.expose({ workers: 1, answered: [] });

  expect(valueOf(text, "tollgate_open_requests")).toBeNull();
  expect(valueOf(text, "tollgate_workers_answered")).toBe(0);
});
