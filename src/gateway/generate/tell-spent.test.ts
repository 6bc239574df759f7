import { expect, test } from "vitest";
import type { NamedCounter } from "../../ledger/ledger.ts";
import { createTellSpent } from "./tell-spent.ts";

const counter = (more: Partial<NamedCounter> = {}): NamedCounter => ({
  id: 7,
  kind: "limit",
  unit: "credit",
  posted: 500n,
  available: 500n,
  amount: 1_000n,
  period: "month",
  renewsAtMs: 1,
  holder: null,
  ...more,
});

function stage(answer: () => Promise<void> = async () => undefined) {
  const told: number[] = [];
  const tell = createTellSpent(({ id }) => {
    told.push(id);
    return answer();
  });
  const refuse = (
    named: NamedCounter,
    outputTokens: number | null,
    kind: "insufficient" | "reserved" = "insufficient",
  ) => tell({ kind, named }, { bucket: 1, outputTokens });
  return { told, refuse };
}

test("a request that asks for little and is refused has its counter told of, once in a period", () => {
  const { told, refuse } = stage();
  for (const tokens of [1_024, 1, null]) refuse(counter(), tokens);
  expect(told).toEqual([7]);

  refuse(counter({ renewsAtMs: 2 }), 1_024);
  refuse(counter({ amount: 2_000n }), 1_024);
  expect(told).toEqual([7, 7, 7]);
});

test("a larger one, one that waits for others, and a limit that is used up anyway are not", () => {
  const { told, refuse } = stage();
  refuse(counter(), 1_025);
  refuse(counter(), 10, "reserved");
  refuse(counter({ posted: 9n }), 10);

  expect(told).toEqual([]);
});

test("what the ledger could not write is told again", async () => {
  const { told, refuse } = stage(() => Promise.reject(new Error("away")));
  refuse(counter(), 10);
  await Promise.resolve();
  await Promise.resolve();
  refuse(counter(), 10);

  expect(told).toEqual([7, 7]);
});
