import { expect, test } from "vitest";
import type { NamedCounter, RefusalTold } from "../../ledger/ledger.ts";
import { createTellRefused } from "./tell-refused.ts";

const counter = (id: number) => ({ id }) as NamedCounter;

function stage(answer: () => Promise<void> = async () => undefined) {
  const told: string[] = [];
  const clock = { nowMs: 0, elapsedMs: () => clock.nowMs };
  const refused = ({ counter: id, little }: RefusalTold) => {
    told.push(`${id} ${little ? "little" : "much"}`);
    return answer();
  };
  const tell = createTellRefused({ refused, clock });
  const refuse = (id: number, outputTokens: number | null, kind: "insufficient" | "reserved" = "insufficient") =>
    tell({ kind, named: counter(id) }, { bucket: 1, outputTokens });
  return { told, refuse, clock };
}

test("a counter that refuses a request is told of, once a minute for each of what asks for little and for much", () => {
  const { told, refuse, clock } = stage();
  for (const tokens of [1_025, 1_024, 1, null, 5_000]) refuse(7, tokens);
  refuse(8, 10);
  expect(told).toEqual(["7 much", "7 little", "8 little"]);

  clock.nowMs = 59_999;
  refuse(7, 10);
  clock.nowMs = 60_000;
  refuse(7, 10);
  expect(told.slice(3)).toEqual(["7 little"]);
});

test("a request that waits for others is not", () => {
  const { told, refuse } = stage();
  refuse(7, 10, "reserved");

  expect(told).toEqual([]);
});

test("what the ledger could not write is told again", async () => {
  const { told, refuse } = stage(() => Promise.reject(new Error("away")));
  refuse(7, 10);
  await Promise.resolve();
  await Promise.resolve();
  refuse(7, 10);

  expect(told).toEqual(["7 little", "7 little"]);
});

test("however many counters refuse, few are remembered", () => {
  const { told, refuse } = stage();
  for (let id = 0; id < 10_001; id++) refuse(id, 10);
  refuse(0, 10);

  expect(told).toHaveLength(10_002);
});
