import { afterEach, expect, test } from "vitest";
import type { Replication } from "../../core/server-facts.ts";
import { startStandbyGuard, type StandbyGuard } from "./standby-guard.ts";

const SYNCHRONOUS: Replication = {
  synchronousCommit: "on",
  synchronousStandbyNames: "*",
  standbys: 1,
  synchronousStandbys: 1,
  candidates: 1,
};
const NONE: Replication = { ...SYNCHRONOUS, synchronousStandbyNames: "" };

let guard: StandbyGuard | null = null;
afterEach(() => guard?.close());

/** A server that answers when the test says so; the timer never comes round by itself. */
async function harness(first: Replication | null | Error) {
  let nowMs = 0;
  const asked: PromiseWithResolvers<Replication | null>[] = [];
  const told: (string | null)[] = [];
  const starting = startStandbyGuard({
    required: "on",
    read: () => {
      const answer = Promise.withResolvers<Replication | null>();
      asked.push(answer);
      return answer.promise;
    },
    clock: { elapsedMs: () => nowMs },
    onChange: (lack) => told.push(lack),
    everyMs: 3_600_000,
  });
  const answer = (given: Replication | null | Error): void => {
    const last = asked.at(-1);
    if (given instanceof Error) last?.reject(given);
    else last?.resolve(given);
  };
  answer(first);
  guard = await starting;
  return { guard, told, answer, asked, pass: (ms: number) => (nowMs += ms) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test.each<[found: Replication | null | Error, lack: string | null]>([
  [SYNCHRONOUS, null],
  [{ ...SYNCHRONOUS, synchronousCommit: "remote_apply" }, null],
  [{ ...SYNCHRONOUS, synchronousStandbys: null }, null],
  [NONE, "unnamed"],
  [{ ...SYNCHRONOUS, synchronousCommit: "local" }, "unawaited"],
  [{ ...SYNCHRONOUS, synchronousCommit: "off" }, "unawaited"],
  [{ ...SYNCHRONOUS, synchronousStandbys: 0 }, "absent"],
  [{ ...SYNCHRONOUS, standbys: 0, synchronousStandbys: null }, "absent"],
  [{ ...SYNCHRONOUS, synchronousStandbyNames: "ANY 2 (a, b, c)" }, "absent"],
  [{ ...SYNCHRONOUS, synchronousStandbyNames: "ANY 2 (a, b, c)", standbys: 2, synchronousStandbys: 2 }, null],
  [null, "unnamed"],
  [new Error("away"), "unread"],
])("of %j it says: %s", async (found, lack) => {
  const { guard: made, told } = await harness(found);

  expect(made.lack()).toBe(lack);
  expect(told).toEqual(lack === null ? [] : [lack]);
});

test("a doubt refuses at once, until the server has answered anew", async () => {
  const { guard: made, told, answer, asked } = await harness(SYNCHRONOUS);
  made.doubt();
  expect(made.lack()).toBe("unread");
  expect(asked).toHaveLength(2);

  answer(NONE);
  await settled();
  expect(made.lack()).toBe("unnamed");
  made.doubt();
  answer(SYNCHRONOUS);
  await settled();
  expect(made.lack()).toBe(null);
  expect(told).toEqual(["unnamed", null]);
});

test("an answer that was on its way when the doubt came does not count", async () => {
  const { guard: made, answer, asked } = await harness(NONE);
  made.doubt();
  made.doubt();
  answer(SYNCHRONOUS);
  await settled();

  expect(made.lack()).toBe("unread");
  expect(asked).toHaveLength(3);
  answer(NONE);
  await settled();
  expect(made.lack()).toBe("unnamed");
});

test("a ledger call that is lost is a doubt, and another failure is none", async () => {
  const { guard: made, asked } = await harness(SYNCHRONOUS);
  const failureOf = made.doubting((error) => (error instanceof RangeError ? "lost" : "data"));

  expect(failureOf(new Error("a value out of range"))).toBe("data");
  expect(made.lack()).toBe(null);
  expect(failureOf(new RangeError("reset"))).toBe("lost");
  expect(made.lack()).toBe("unread");
  expect(asked).toHaveLength(2);
});

test("where none is required nothing is asked", async () => {
  const read = () => Promise.reject(new Error("asked"));
  const unguarded = await startStandbyGuard({
    required: "off",
    read,
    clock: { elapsedMs: () => 0 },
    onChange: () => undefined,
  });
  unguarded.doubt();

  expect(unguarded.lack()).toBe(null);
});

test("what is known holds for three rounds without an answer, and no longer", async () => {
  const { guard: made, pass } = await harness(SYNCHRONOUS);
  pass(3 * 3_600_000);
  expect(made.lack()).toBe(null);
  pass(1);
  expect(made.lack()).toBe("unread");
});
