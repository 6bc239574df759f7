import { expect, test } from "vitest";
import type { NamedCounter } from "../../ledger/ledger.ts";
import { createTellSpent } from "./tell-spent.ts";

const counter = (id: number) => ({ id }) as NamedCounter;

function stage(answer: () => Promise<void> = async () => undefined) {
  const told: number[] = [];
  const clock = { nowMs: 0, elapsedMs: () => clock.nowMs };
  const spent = ({ id }: { id: number }) => {
    told.push(id);
    return answer();
  };
  const tell = createTellSpent({ spent, clock });
  const refuse = (id: number, outputTokens: number | null, kind: "insufficient" | "reserved" = "insufficient") =>
    tell({ kind, named: counter(id) }, { bucket: 1, outputTokens });
  return { told, refuse, clock };
}

test("a request that asks for little and is refused has its counter told of, once a minute", () => {
  const { told, refuse, clock } = stage();
  for (const tokens of [1_024, 1, null]) refuse(7, tokens);
  refuse(8, 10);
  expect(told).toEqual([7, 8]);

  clock.nowMs = 59_999;
  refuse(7, 10);
  clock.nowMs = 60_000;
  refuse(7, 10);
  expect(told).toEqual([7, 8, 7]);
});

test("a larger one, and one that waits for others, are not", () => {
  const { told, refuse } = stage();
  refuse(7, 1_025);
  refuse(7, 10, "reserved");

  expect(told).toEqual([]);
});

test("what the ledger could not write is told again", async () => {
  const { told, refuse } = stage(() => Promise.reject(new Error("away")));
  refuse(7, 10);
  await Promise.resolve();
  await Promise.resolve();
  refuse(7, 10);

  expect(told).toEqual([7, 7]);
});

test("however many counters refuse, few are remembered", () => {
  const { told, refuse } = stage();
  for (let id = 0; id < 10_001; id++) refuse(id, 10);
  refuse(0, 10);

  expect(told).toHaveLength(10_002);
});
