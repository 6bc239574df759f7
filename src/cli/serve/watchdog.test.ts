import { expect, test } from "vitest";
import { createWatchdog } from "./watchdog.ts";

/** So many looks of the parent; which workers are hung then. */
const looks = (watchdog: ReturnType<typeof createWatchdog>, count: number) =>
  Array.from({ length: count }, () => watchdog.look()).flat();

test("a worker that is silent for more than ten looks is hung, once", () => {
  const watchdog = createWatchdog();
  for (const id of ["1", "2"]) watchdog.started(id);
  for (const id of ["1", "2"]) watchdog.heard(id);

  expect(looks(watchdog, 5)).toEqual([]);
  watchdog.heard("2");
  expect(looks(watchdog, 6)).toEqual([{ workerId: "1", silentMs: 11_000 }]);
  expect(looks(watchdog, 4)).toEqual([]);
  watchdog.ended("2");
  expect(looks(watchdog, 200)).toEqual([]);
});

test("a worker that has not said anything yet may still be loading the program", () => {
  const watchdog = createWatchdog();
  watchdog.started("1");

  expect(looks(watchdog, 120)).toEqual([]);
  expect(looks(watchdog, 1)).toEqual([{ workerId: "1", silentMs: 121_000 }]);
});
