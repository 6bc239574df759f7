import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Token } from "./call-convention.ts";
import { createKeepToken } from "./keep-token.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

/** Somebody who gives out tokens when the test says so. */
function harness() {
  const time = { ms: 0 };
  const exchanges: PromiseWithResolvers<Token>[] = [];
  const keep = createKeepToken({
    elapsedMs: () => time.ms,
    exchange: () => {
      const exchange = Promise.withResolvers<Token>();
      exchanges.push(exchange);
      return exchange.promise;
    },
  });
  const give = (secret: string, lastsMs = HOUR_MS): void => exchanges.at(-1)?.resolve({ secret, lastsMs });
  return { time, exchanges, keep, give };
}

test("however many ask for a token, it is exchanged once, and then there at once until it ends", async () => {
  const { time, exchanges, keep, give } = harness();
  const asked = [1, 2, 3].map(async () => keep());
  give("first");

  expect(await Promise.all(asked)).toEqual(["first", "first", "first"]);
  time.ms = HOUR_MS - 300_001;
  expect(keep()).toBe("first");
  expect(exchanges).toHaveLength(1);
});

test("a token is renewed before it ends, and nobody waits for that or hears that it failed", async () => {
  const { time, exchanges, keep, give } = harness();
  const asked = keep();
  give("first");
  await asked;
  time.ms = HOUR_MS - 299_999;
  expect([keep(), keep()]).toEqual(["first", "first"]);
  expect(exchanges).toHaveLength(2);
  exchanges[1]?.reject(new Error("away"));
  await vi.advanceTimersByTimeAsync(0);

  expect(keep()).toBe("first");
  expect(exchanges).toHaveLength(2);
  time.ms += 5_000;
  expect(keep()).toBe("first");
  expect(exchanges).toHaveLength(3);
  give("second");
  await vi.advanceTimersByTimeAsync(0);
  expect(keep()).toBe("second");
});

test("a token that has ended is not shown again, though the next cannot be had", async () => {
  const { time, exchanges, keep, give } = harness();
  const asked = keep();
  give("first", 1_000);
  await asked;
  time.ms = 1_000;
  const late = keep();
  exchanges[1]?.reject(new Error("away"));

  await expect(late).rejects.toThrow("away");
  const again = keep();
  give("second");
  expect(await again).toBe("second");
  expect(exchanges).toHaveLength(3);
});

test("an exchange that never answers is given up, and the next caller begins another", async () => {
  const { exchanges, keep, give } = harness();
  const asked = expect(keep()).rejects.toThrow("no token within 10000 ms");
  await vi.advanceTimersByTimeAsync(10_000);
  await asked;
  const again = keep();
  give("second");

  expect(await again).toBe("second");
  expect(exchanges).toHaveLength(2);
});

test("an exchange that fails before it begins is one that failed, and no reason never to ask again", async () => {
  let calls = 0;
  const keep = createKeepToken({
    elapsedMs: () => 0,
    exchange: () => {
      if (++calls === 1) throw new Error("no such file");
      return Promise.resolve({ secret: "second", lastsMs: HOUR_MS });
    },
  });

  await expect(keep()).rejects.toThrow("no such file");
  expect(await keep()).toBe("second");
});

test.each([Number.NaN, 0, -1])("a token that lasts %d ms serves who waited for it and nobody else", async (lastsMs) => {
  const { exchanges, keep, give } = harness();
  const asked = keep();
  give("first", lastsMs);

  expect(await asked).toBe("first");
  expect(keep()).toBeInstanceOf(Promise);
  expect(exchanges).toHaveLength(2);
});
