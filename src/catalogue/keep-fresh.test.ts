import { expect, test } from "vitest";
import { createCatalogue } from "./catalogue.ts";
import { keepFresh } from "./keep-fresh.ts";
import type { Model } from "./model.ts";

const model = (id: string): Model => ({
  id,
  provider: "east",
  createdAtMs: 0,
  ownedBy: "east",
  displayName: null,
  tagline: null,
  contextWindow: null,
  maxOutputTokens: 8_192,
  outputCeiling: null,
  outputFloor: 1_024,
  tokenFactor: 1,
  capabilities: {},
  price: null,
  upcomingPrices: [],
  acceptedAlarms: [],
  routes: [],
});

/** A store whose loads end when the test says so. */
function harness() {
  const clock = { nowMs: () => 1_000, elapsedMs: () => 0 };
  const catalogue = createCatalogue(clock);
  const loads: PromiseWithResolvers<Model[]>[] = [];
  const log: string[] = [];
  const freshness = keepFresh({
    catalogue,
    clock,
    store: {
      load: () => {
        const load = Promise.withResolvers<Model[]>();
        loads.push(load);
        return load.promise;
      },
    },
    pollMs: 3_600_000,
    onLoaded: (models) => log.push(`loaded ${models.length}`),
    onFailed: (error) => log.push(`failed ${String(error)}`),
  });
  const ids = () => catalogue.list(null).map(({ id }) => id);
  return { ...freshness, loads, log, ids };
}

test("a failed load leaves the last catalogue in place and is told; the next one replaces it", async () => {
  const { refresh, close, loads, log, ids } = harness();
  const first = refresh();
  loads[0]?.resolve([model("a"), model("b")]);
  await first;

  const second = refresh();
  loads[1]?.reject(new Error("away"));
  await second;
  expect(ids()).toEqual(["a", "b"]);

  const third = refresh();
  loads[2]?.resolve([model("c")]);
  await third;
  expect(ids()).toEqual(["c"]);
  expect(log).toEqual(["loaded 2", "failed Error: away", "loaded 1"]);
  close();
});

test("however many changes are announced during a load, one more load follows and sees the last of them", async () => {
  const { refresh, close, loads, ids } = harness();
  const asked = Array.from({ length: 50 }, () => refresh());
  expect(loads).toHaveLength(1);

  loads[0]?.resolve([model("before")]);
  await expect.poll(() => loads.length).toBe(2);
  loads[1]?.resolve([model("after")]);
  await Promise.all(asked);

  expect(loads).toHaveLength(2);
  expect(ids()).toEqual(["after"]);
  close();
});
