import { expect, test } from "vitest";
import { type PaceSample, RoutePace } from "./route-pace.ts";

const sample = (fields: Partial<PaceSample> = {}): PaceSample => ({
  payer: "ann",
  token: null,
  firstTokenMs: null,
  thoughtAs: null,
  shortened: false,
  ...fields,
});
const thought = (ms: number, payer = "ann") => sample({ payer, token: { ms, kind: "thought" } });
const spoken = (ms: number, payer = "ann") => sample({ payer, token: { ms, kind: "spoken" } });

function paceOf(...samples: PaceSample[]) {
  const pace = new RoutePace();
  for (const each of samples) pace.add(each);
  return pace.value();
}

test("a route that nothing is known of is taken to be a common one that does not think", () => {
  expect(paceOf()).toEqual({
    tokensPerSecond: 60,
    lostPerSecond: 60,
    firstTokenMs: 0,
    lateFirstTokenMs: 1_000,
    thinks: { told: false, untold: false, forbidden: false },
    shortensThoughts: false,
  });
});

test("how fast a route thinks is told by streams that thought; by others while there is none", () => {
  expect(paceOf(spoken(20)).tokensPerSecond).toBe(50);
  expect(paceOf(spoken(20), thought(10)).tokensPerSecond).toBe(100);
  // What was gathered on its way and came at once.
  expect(paceOf(spoken(0.1)).tokensPerSecond).toBe(1_000);
  expect(paceOf(thought(0.1)).tokensPerSecond).toBe(5_000);
});

test("what the house may have lost is told by the fastest that was seen, since nobody is charged by it", () => {
  expect(paceOf(spoken(20)).lostPerSecond).toBe(50);
  expect(paceOf(spoken(20), thought(10)).lostPerSecond).toBe(100);
  expect(paceOf(spoken(0.5)).lostPerSecond).toBe(2_000);
  expect(paceOf(spoken(0.1)).lostPerSecond).toBe(5_000);
});

test("everybody's streams weigh the same, however many somebody has", () => {
  const samples = ["ann", "ben", "cleo", "dan", "eve"].flatMap((payer) => [thought(10, payer), thought(10, payer)]);
  const crowd = Array.from({ length: 500 }, () => thought(1_000, "mallory"));

  expect(paceOf(...samples, ...crowd).tokensPerSecond).toBe(100);
});

test("somebody's late streams replace their early ones, and late payers those that are gone", () => {
  const slow = Array.from({ length: 7 }, () => thought(100));
  const fast = Array.from({ length: 7 }, () => thought(10));
  expect(paceOf(...slow, ...fast).tokensPerSecond).toBe(100);

  const others = Array.from({ length: 31 }, (_, payer) => thought(10, `payer ${payer}`));
  expect(paceOf(...slow, ...others).tokensPerSecond).toBe(100);
});

test("a first token is late when it comes later than somebody's usually do at their latest, within bounds", () => {
  const firsts = (...ms: number[]) => paceOf(...ms.map((firstTokenMs) => sample({ firstTokenMs })));

  expect(firsts(200, 300, 400)).toMatchObject({ firstTokenMs: 300, lateFirstTokenMs: 800 });
  expect(firsts(200, 300, 1_300)).toMatchObject({ firstTokenMs: 300, lateFirstTokenMs: 1_300 });
  expect(firsts(200, 300, 60_000)).toMatchObject({ firstTokenMs: 300, lateFirstTokenMs: 3_300 });
});

test("one stream is enough to know that a route thinks; that it shortens what it shows, two payers say, or the only one", () => {
  expect(paceOf(sample({ thoughtAs: "told" }), sample()).thinks).toMatchObject({ told: true, untold: false });
  expect(paceOf(sample({ thoughtAs: "untold" })).thinks).toMatchObject({ told: false, untold: true });
  const shortened = (payer: string) => sample({ payer, shortened: true });
  expect(paceOf(shortened("ann"), sample()).shortensThoughts).toBe(true);
  expect(paceOf(shortened("ann"), sample({ payer: "ben" })).shortensThoughts).toBe(false);
  expect(paceOf(shortened("ann"), shortened("ben"), sample({ payer: "cleo" })).shortensThoughts).toBe(true);
});
