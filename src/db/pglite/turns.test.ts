import { expect, test } from "vitest";
import { DatabaseBusyError } from "../database-error.ts";
import { createTurns } from "./turns.ts";

test("work is done one at a time, in the order it came, also after a failure", async () => {
  const turns = createTurns({ limit: 10, timeoutMs: 1_000 });
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
  };

  const results = await Promise.allSettled(["a", "b", "c"].map((name) => turns.take(work(name))));

  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("no more than the limit may wait, and no longer than the timeout", async () => {
  const turns = createTurns({ limit: 1, timeoutMs: 5 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = turns.take(() => promise);
  const second = turns.take(async () => "never");

  await expect(turns.take(async () => "never")).rejects.toThrow(DatabaseBusyError);
  await expect(second).rejects.toThrow("not free within 5 ms");
  resolve();
  await first;

  expect(await turns.take(async () => "free again")).toBe("free again");
});
