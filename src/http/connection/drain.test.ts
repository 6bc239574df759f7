import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { createDrain } from "./drain.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function farewell({ delayMs = 0, deadlineMs = 10_000 } = {}) {
  const drain = createDrain({ clock: systemClock });
  const closeListener = vi.fn<() => void>();
  let left: number | null = null;
  const finish = (): void => void drain.finish({ delayMs, deadlineMs, closeListener }).then((open) => (left = open));
  return { drain, closeListener, finish, left: () => left };
}
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test("with nothing open a drain ends at once", async () => {
  const { drain, finish, left, closeListener } = farewell();
  expect(drain.isDraining()).toBe(false);
  finish();
  await settle();

  expect({ left: left(), draining: drain.isDraining() }).toEqual({ left: 0, draining: true });
  expect(closeListener).toHaveBeenCalledTimes(1);
});

test("a drain waits for the last open request and no longer", async () => {
  const { drain, finish, left } = farewell();
  drain.opened();
  drain.opened();
  finish();
  await vi.advanceTimersByTimeAsync(5_000);
  drain.closed();
  await settle();
  expect(left()).toBeNull();
  drain.closed();
  await settle();

  expect(left()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("a drain gives up at its deadline and says how many were left", async () => {
  const { drain, finish, left } = farewell({ deadlineMs: 1_000 });
  for (let count = 0; count < 3; count++) drain.opened();
  finish();
  await vi.advanceTimersByTimeAsync(999);
  expect(left()).toBeNull();
  await vi.advanceTimersByTimeAsync(2);

  expect(left()).toBe(3);
});

test("it reports that it is going for a while before it stops listening", async () => {
  const { drain, finish, closeListener } = farewell({ delayMs: 500 });
  finish();
  await vi.advanceTimersByTimeAsync(499);
  expect({
    draining: drain.isDraining(),
    closed: drain.isClosed(),
    calls: closeListener.mock.calls.length,
  }).toEqual({ draining: true, closed: false, calls: 0 });
  await vi.advanceTimersByTimeAsync(1);

  expect(drain.isClosed()).toBe(true);
  expect(closeListener).toHaveBeenCalledTimes(1);
});

test("a request that comes and goes while it waits does not end the wait for the others", async () => {
  const { drain, finish, left } = farewell();
  drain.opened();
  finish();
  await settle();
  drain.opened();
  drain.closed();
  await settle();

  expect({ left: left(), open: drain.openRequests() }).toEqual({ left: null, open: 1 });
});
