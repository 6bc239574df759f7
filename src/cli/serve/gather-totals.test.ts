import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMetrics } from "../../telemetry/metrics/metrics.ts";
import { type AskedWorker, createTotalsGatherer } from "./gather-totals.ts";
import type { ParentMessage } from "./worker-messages.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Two workers and the parent's part between them; what each was sent is kept. */
function stage() {
  const sent: Record<string, ParentMessage[]> = { "1": [], "2": [] };
  const worker = (id: string): AskedWorker => ({ id, send: (message) => void sent[id]?.push(message) });
  const workers = [worker("1"), worker("2")] as const;
  const gatherer = createTotalsGatherer({ workers: 2, serving: () => workers, waitMs: 2_000 });
  const snapshot = createMetrics().snapshot();
  const answer = async (asked: AskedWorker): Promise<void> => {
    const last = sent[asked.id]?.at(-1) as { round: number };
    gatherer.heard(asked, { metrics: await snapshot, round: last.round });
  };
  const totalsSentTo = ({ id }: AskedWorker): string[] =>
    (sent[id] ?? []).flatMap((message) =>
      typeof message === "object" && "totals" in message
        ? (/^tollgate_workers_answered (\d+)$/m.exec(message.totals.text)?.[1] ?? "")
        : [],
    );
  return { gatherer, workers, answer, totalsSentTo, sent };
}

test("the sum is sent as soon as all have answered, to every worker that wanted it, and each is asked once", async () => {
  const { gatherer, workers, answer, totalsSentTo, sent } = stage();
  gatherer.heard(workers[0], { want: "totals", wish: 1 });
  gatherer.heard(workers[1], { want: "totals", wish: 1 });
  expect(sent).toEqual({ "1": [{ ask: "metrics", round: 1 }], "2": [{ ask: "metrics", round: 1 }] });
  for (const worker of workers) await answer(worker);

  await vi.waitFor(() => expect([totalsSentTo(workers[0]), totalsSentTo(workers[1])]).toEqual([["2"], ["2"]]));
});

test("a worker that hangs is waited for as long as was said, and then left out", async () => {
  const { gatherer, workers, answer, totalsSentTo } = stage();
  gatherer.heard(workers[0], { want: "totals", wish: 1 });
  await answer(workers[0]);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(totalsSentTo(workers[0])).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);

  await vi.waitFor(() => expect(totalsSentTo(workers[0])).toEqual(["1"]));
});

test("a worker that ends meanwhile is waited for no longer, and an answer to an earlier round is not a fresh one", async () => {
  const { gatherer, workers, answer, totalsSentTo } = stage();
  gatherer.heard(workers[0], { want: "totals", wish: 1 });
  await answer(workers[0]);
  gatherer.ended("2");
  await vi.waitFor(() => expect(totalsSentTo(workers[0])).toEqual(["1"]));

  gatherer.heard(workers[0], { want: "totals", wish: 2 });
  gatherer.heard(workers[0], { metrics: [], round: 1 });
  await vi.advanceTimersByTimeAsync(2_000);
  await vi.waitFor(() => expect(totalsSentTo(workers[0])).toEqual(["1", "0"]));
});
