import { expect, test } from "vitest";
import { exposeBuild } from "./build-info.ts";
import { createMetrics } from "./metrics.ts";
import { createWorkerTotals } from "./worker-totals.ts";

const schema = { migration: "0039_baseline", edition: 7 };

test("what runs is a gauge of 1, and stays 1 over several workers", async () => {
  const totals = createWorkerTotals();
  for (const worker of ["1", "2"]) {
    const metrics = createMetrics();
    exposeBuild(metrics.registry, { version: "0.2.0", commit: "c0ffee", schema });
    totals.note(worker, await metrics.snapshot());
  }

  const { text } = await totals.expose({ workers: 2, answered: ["1", "2"] });

  expect(text.match(/^tollgate_build_info.*$/gm)).toEqual([
    'tollgate_build_info{version="0.2.0",commit="c0ffee",migration="0039_baseline",edition="7"} 1',
  ]);
});

test("a commit that is not known is empty", async () => {
  const metrics = createMetrics();
  exposeBuild(metrics.registry, { version: "0.2.0", commit: null, schema });

  expect((await metrics.expose()).text).toContain('{version="0.2.0",commit="",');
});
