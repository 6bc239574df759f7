import { expect, test } from "vitest";
import { breakdownOf, type RecordedRequest, tailOf, type TailNotes } from "./tail.ts";

const NONE: TailNotes = { collections: [], late: [], calls: [] };
/** Came in at 1,000 ms; checked after 1 ms, admitted after 9, dispatched after 10, answered after 30, settled after 40, closed after 41. */
const REQUEST: RecordedRequest = {
  startMs: 1000,
  checked: 1_000,
  admitted: 9_000,
  dispatched: 10_000,
  lastByte: 30_000,
  settled: 40_000,
  closed: 41_000,
};

test("the time until the call to the ledger is waiting, the call itself is the flush", () => {
  // The first call had left before the request came; the second one carried it, and the third one its settlement.
  const calls: TailNotes["calls"] = [
    [999, 1003],
    [1004, 1008],
    [1032, 1039],
  ];

  expect(breakdownOf(REQUEST, { ...NONE, calls })).toEqual({
    own: 5,
    flushWait: 5,
    flush: 11,
    provider: 20,
    loop: 0,
    collection: 0,
  });
});

test("a collection delays a wait only when it lasts until the answer is there", () => {
  const calls: TailNotes["calls"] = [
    [1001, 1009],
    [1030, 1040],
  ];
  const meanwhile = breakdownOf(REQUEST, { ...NONE, calls, collections: [[1012, 1017]] });
  const atTheEnd = breakdownOf(REQUEST, { ...NONE, calls, collections: [[1025, 1030]] });

  expect([meanwhile.collection, meanwhile.provider]).toEqual([0, 20]);
  expect([atTheEnd.collection, atTheEnd.provider]).toEqual([5, 15]);
});

test("an event loop that is late because of a collection is counted as collection", () => {
  const { loop, collection, own } = breakdownOf(
    { ...REQUEST, checked: 6_000, admitted: 6_000, dispatched: 6_000, lastByte: 6_000, settled: 6_000, closed: 6_000 },
    { ...NONE, collections: [[1001, 1003]], late: [[1000, 1005]] },
  );

  expect({ loop, collection, own }).toEqual({ loop: 3, collection: 2, own: 1 });
});

test("the slowest hundredth is a group of its own, and shares add up to its time", () => {
  const requests = Array.from({ length: 1000 }, (_, index) =>
    index < 10
      ? { ...REQUEST, startMs: 5_000 * index, settled: 90_000, closed: 91_000 }
      : { ...REQUEST, startMs: 5_000 * index },
  );
  const { groups } = tailOf(requests, NONE);
  const slow = groups.find(({ title }) => title === "above p99");

  expect(slow).toMatchObject({ requests: 10, totalMs: 91 });
  expect(Object.values(slow?.breakdown ?? {}).reduce((sum, part) => sum + part, 0)).toBeCloseTo(91);
  expect(slow?.breakdown.flushWait).toBeCloseTo(68);
});
