import { expect, test } from "vitest";
import type { AuditRefusal } from "./audit.ts";
import { createDoorRefusals } from "./refusals.ts";

function build() {
  const written: AuditRefusal[] = [];
  const state = { nowMs: 1_800_000_000_000, away: false, lost: 0 };
  const refusals = createDoorRefusals({
    store: {
      refused: async (rows) => {
        if (state.away) throw new Error("away");
        written.push(...rows);
      },
    },
    clock: { nowMs: () => state.nowMs },
    onLost: () => void state.lost++,
  });
  const note = (address: string, code = "invalid_credentials"): void =>
    refusals.note({ by: null, address, requestId: "req_1", code, operation: "GET /admin/v1/keys" });
  return { ...refusals, refusals, note, written, state };
}

test("the first refusal of an address is written at once, and how many followed it when its minute is over", async () => {
  const { note, flush, written, state } = build();
  for (let attempt = 0; attempt < 1_000; attempt++) note("192.0.2.7");
  await flush("due");
  expect(written).toMatchObject([{ actor: "anonymous", address: "192.0.2.7", count: 1, code: "invalid_credentials" }]);

  state.nowMs += 60_000;
  await flush("due");
  expect(written.map(({ count }) => count)).toEqual([1, 999]);
  expect(new Set(written.map(({ id }) => id)).size).toBe(2);
});

test("however many addresses there are, a minute has at most 501 entries and their counts", async () => {
  const { note, flush, written } = build();
  for (let number = 0; number < 5_000; number++) note(`2001:db8::${number}`);
  await flush("all");

  expect(written.length).toBeLessThanOrEqual(502);
  expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(5_000);
  expect(written.some(({ address }) => address === null)).toBe(true);
});

test("refusals for different reasons stand apart, and the reason is in the entry", async () => {
  const { refusals, written } = build();
  const refusal = { by: null, address: "192.0.2.7", requestId: "req_1", code: "forbidden", operation: "GET /x" };
  for (const reason of ["no group", "no group", "removed"]) refusals.note({ ...refusal, reason });
  await refusals.flush("all");

  expect(written.map(({ asked, count }) => [asked, count])).toEqual([
    ['{"reason":"no group"}', 1],
    ['{"reason":"no group"}', 1],
    ['{"reason":"removed"}', 1],
  ]);
});

test("what could not be written is written later, under the same id", async () => {
  const { note, flush, written, state } = build();
  note("192.0.2.7");
  state.away = true;
  await flush("due");
  state.away = false;
  await flush("due");

  expect(state.lost).toBe(1);
  expect(written).toHaveLength(1);
});
