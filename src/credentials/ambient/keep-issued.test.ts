import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { AmbientError, type Issued } from "./ambient.ts";
import { keepIssued } from "./keep-issued.ts";

const HOUR_MS = 3_600_000;

/** A cloud that answers when it is told to, and a clock that moves when it is told to. */
function stage({ random = 0, startMs = 1_000_000 } = {}) {
  let nowMs = startMs;
  let elapsedMs = 0;
  const waiting: { give: (issued: Issued<string>) => void; fail: (error: unknown) => void }[] = [];
  const onChange = vi.fn();
  const kept = keepIssued<string>({
    issue: () =>
      new Promise((resolve, reject) => {
        waiting.push({ give: resolve, fail: reject });
      }),
    clock: { nowMs: () => nowMs, elapsedMs: () => elapsedMs },
    random: () => random,
    onChange,
  });
  let asked = 0;
  return {
    kept,
    onChange,
    asked: () => asked + waiting.length,
    pass: (ms: number) => {
      nowMs += ms;
      elapsedMs += ms;
    },
    shiftClock: (ms: number) => (nowMs += ms),
    give: async (value: string, lastsMs: number | null = HOUR_MS) => {
      asked += 1;
      waiting.shift()?.give({ value, expiresAtMs: lastsMs === null ? null : nowMs + lastsMs });
      await Promise.resolve();
      await new Promise(setImmediate);
    },
    fail: async (error: unknown) => {
      asked += 1;
      waiting.shift()?.fail(error);
      await new Promise(setImmediate);
    },
  };
}

/** A call that waits, and hears of a failure later. */
function asking<Value>(kept: { current: () => Value | Promise<Value> }): Promise<Value> {
  const asked = (async () => kept.current())();
  asked.catch(() => undefined);
  return asked;
}

test("a hundred calls wait for one question, and later calls for none", async () => {
  const { kept, asked, give } = stage();
  const waiting = Array.from({ length: 100 }, () => Promise.resolve(kept.current()));
  await give("one");

  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["one"]));
  expect(kept.current()).toBe("one");
  expect(asked()).toBe(1);
});

test("the next one is asked for ahead of the end, once, and calls go on with the one at hand", async () => {
  const { kept, asked, give, pass } = stage();
  void kept.current();
  await give("one");

  pass(HOUR_MS - 300_001);
  expect([kept.current(), asked()]).toEqual(["one", 1]);
  pass(2);
  expect([kept.current(), kept.current(), asked()]).toEqual(["one", "one", 2]);
  await give("two");
  expect([kept.current(), asked()]).toEqual(["two", 2]);
});

test("processes with other random numbers replace theirs at other moments, and none after its end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.integer({ min: 60_000, max: 43_200_000 }),
      async (random, lastsMs) => {
        const { kept, asked, give, pass } = stage({ random });
        void kept.current();
        await give("one", lastsMs);
        const aheadMs = Math.min(300_000, lastsMs / 3) * (1 + random / 2);
        pass(lastsMs - aheadMs - 1);
        await kept.current();
        const before = asked();
        pass(2);
        void kept.current();
        return before === 1 && asked() === 2;
      },
    ),
  );
});

test("a cloud that fails is asked at growing pauses, and said so until it answers", async () => {
  const { kept, asked, fail, give, pass, onChange } = stage({ random: 1 });
  const first = asking(kept);
  await fail(new AmbientError("sts answered 403 AccessDenied."));
  await expect(first).rejects.toThrow("sts answered 403 AccessDenied.");

  const askedAfter: number[] = [];
  for (let second = 1; second <= 300; second++) {
    pass(1_000);
    const count = asked();
    void asking(kept);
    await new Promise(setImmediate);
    if (asked() === count) continue;
    askedAfter.push(second);
    await fail(new AmbientError("sts answered 403 AccessDenied."));
  }
  expect(askedAfter).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243]);
  expect(onChange).toHaveBeenCalledTimes(1);
  expect(kept.problem()).toBe("sts answered 403 AccessDenied.");

  pass(60_000);
  const again = kept.current();
  await give("one");
  expect([await again, kept.problem()]).toEqual(["one", null]);
  expect(onChange).toHaveBeenCalledTimes(2);
});

test("a failure ahead of the end is told, and calls go on until the end", async () => {
  const { kept, give, fail, pass } = stage();
  void kept.current();
  await give("one");
  pass(HOUR_MS - 200_000);
  expect(kept.current()).toBe("one");
  await fail(new AmbientError("the role is gone."));

  expect([kept.current(), kept.problem()]).toEqual(["one", "the role is gone."]);
  pass(195_001);
  const last = asking(kept);
  await fail(new AmbientError("the role is gone."));
  await expect(last).rejects.toThrow("the role is gone.");
});

test("what is no word of ours is not repeated", async () => {
  const { kept, fail } = stage();
  const first = asking(kept);
  await fail(new Error("token eyJhbGciOi"));

  await expect(first).rejects.toThrow("for a reason that cannot be told");
  expect(kept.problem()).not.toContain("eyJ");
});

test("one that was refused is replaced, once in half a minute, for all that were refused with it", async () => {
  const { kept, asked, give, pass } = stage();
  void asking(kept);
  await give("one");
  expect(await kept.renew()).toBe(false);
  pass(30_001);
  const renewed = [kept.renew(), kept.renew(), kept.renew()];
  expect(kept.current()).toBe("one");
  await give("two");

  expect(await Promise.all(renewed)).toEqual([true, true, true]);
  expect([await kept.renew(), kept.current(), asked()]).toEqual([false, "two", 2]);
});

test("a refusal that a caller provoked takes no good one away while its cloud gives no other", async () => {
  const { kept, fail, pass } = await withOne();
  pass(30_001);
  const renewed = kept.renew();
  await fail(new AmbientError("there was no answer within 10 s."));

  expect([await renewed, kept.current()]).toEqual([false, "one"]);
  pass(HOUR_MS / 2);
  expect(kept.current()).toBe("one");
});

async function withOne() {
  const staged = stage();
  void asking(staged.kept);
  await staged.give("one");
  return staged;
}

test("one without an end stays, and one that has ended already blames the clock", async () => {
  const keys = stage();
  void keys.kept.current();
  await keys.give("static", null);
  keys.pass(100 * HOUR_MS);
  expect([keys.kept.current(), keys.asked()]).toEqual(["static", 1]);

  const behind = stage();
  const first = asking(behind.kept);
  await behind.give("old", -600_000);
  await expect(first).rejects.toThrow("ended 600 s ago. Compare the clock of this machine");
  expect(behind.kept.problem()).toContain("ended 600 s ago");
});

test("a clock that is set back or ahead later ends nothing early and lets nothing live on", async () => {
  const { kept, give, pass, shiftClock, asked } = stage();
  void kept.current();
  await give("one");
  shiftClock(2 * HOUR_MS);
  expect(kept.current()).toBe("one");
  shiftClock(-4 * HOUR_MS);
  pass(HOUR_MS);
  void asking(kept);
  expect(asked()).toBe(2);
});

test("a cloud that never answers holds calls up for ten seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), ms);
    return controller.signal;
  });
  try {
    const { kept } = stage();
    const first = asking(kept);
    const told = expect(first).rejects.toThrow("there was no answer within 10 s");
    await vi.advanceTimersByTimeAsync(10_000);
    await told;
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
});
