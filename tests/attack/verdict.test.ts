import { describe, expect, test } from "vitest";
import { delaysOf } from "./neighbour-process.ts";
import { judgeLane, judgeNeighbour, type LaneFigures } from "./verdict.ts";

const CAP = { setting: "ledger.write_off_cap", because: "of the interface" };
const figures = (over: Partial<LaneFigures>): LaneFigures => ({
  lane: { caller: "chat", provider: "chat", unit: "credit" },
  tokens: 1,
  price: 1_000n,
  charged: 1_000n,
  dearest: 100n,
  keyStatus: "active",
  unasked: 0,
  exhausted: false,
  writtenOff: 0n,
  booksAgree: true,
  ...over,
});

describe("a lane", () => {
  test("holds when it gains a hundredth of its price, and not when it gains more", () => {
    expect(judgeLane(figures({ charged: 990n }), undefined, 0n)).toMatchObject({ held: true, percent: 1 });
    expect(judgeLane(figures({ charged: 989n }), undefined, 0n)).toMatchObject({ held: false });
  });

  test("holds when nothing was produced", () => {
    expect(judgeLane(figures({ price: 0n, charged: 0n }), undefined, 0n)).toMatchObject({
      held: true,
      why: "rejected",
    });
  });

  test("with a cap may gain as much as the cap and one request, and no more", () => {
    expect(judgeLane(figures({ charged: 700n }), CAP, 200n)).toMatchObject({ held: true });
    expect(judgeLane(figures({ charged: 699n }), CAP, 200n)).toMatchObject({ held: false });
  });

  test("is not taken for capped when too little was tried to see the cap", () => {
    expect(judgeLane(figures({ charged: 400n }), CAP, 900n)).toMatchObject({ held: false });
    expect(judgeLane(figures({ charged: 400n, keyStatus: "suspended" }), CAP, 900n)).toMatchObject({ held: true });
    expect(judgeLane(figures({ charged: 400n, exhausted: true }), CAP, 900n)).toMatchObject({ held: true });
    const pauses = { ...CAP, pauses: true as const };
    expect(judgeLane(figures({ charged: 400n, unasked: 1 }), CAP, 900n)).toMatchObject({ held: false });
    expect(judgeLane(figures({ charged: 400n, unasked: 1 }), pauses, 900n)).toMatchObject({ held: true });
    expect(judgeLane(figures({ charged: 400n }), pauses, 900n)).toMatchObject({ held: false });
  });

  test("does not hold when balance and charges differ", () => {
    expect(judgeLane(figures({ booksAgree: false }), undefined, 0n)).toMatchObject({ held: false });
  });
});

describe("the neighbour", () => {
  const samples = (tookMs: number, status = 200) => Array.from({ length: 100 }, () => ({ tookMs, status }));

  test("may wait three times as long, and no longer", () => {
    expect(judgeNeighbour(delaysOf(samples(10)), delaysOf(samples(30)))).toMatchObject({ held: true });
    expect(judgeNeighbour(delaysOf(samples(10)), delaysOf(samples(31)))).toMatchObject({ held: false });
  });

  test("may not be refused once, and must have been served", () => {
    const refusedOnce = [...samples(10), { tookMs: 1, status: 503 }];

    expect(judgeNeighbour(delaysOf(samples(10)), delaysOf(refusedOnce))).toMatchObject({ held: false });
    expect(judgeNeighbour(delaysOf(samples(10)), delaysOf([]))).toMatchObject({ held: false });
  });
});
