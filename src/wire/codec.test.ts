import { expect, test } from "vitest";
import { z } from "zod";
import { credits } from "./admin/amount.ts";
import { instant } from "./admin/instant.ts";
import { renamed, within } from "./codec.ts";
import { written } from "./validate.ts";

const visit = renamed(z.object({ guest_id: z.string(), paid: credits, left_at: instant.nullable() }), {
  guestId: "guest_id",
  leftAtMs: "left_at",
});
const json = { guest_id: "g", paid: "1.5", left_at: "2026-11-18T00:00:00.000Z" };
const value = { guestId: "g", paid: 1_500_000_000n, leftAtMs: Date.UTC(2026, 10, 18) };

test("what JSON calls otherwise is read and written by one schema", () => {
  expect(visit.parse(json)).toEqual(value);
  expect(written(visit, value)).toEqual(json);
  expect(JSON.stringify(written(visit, { ...value, secret: "s" } as typeof value))).toBe(JSON.stringify(json));
});

test("nested ones are read and written with what they stand in", () => {
  const page = within("visits", z.array(visit));

  expect(page.parse({ visits: [json] })).toEqual([value]);
  expect(written(page, [value, { ...value, leftAtMs: null }])).toEqual({ visits: [json, { ...json, left_at: null }] });
});

test("a field that may be left out is left out on both sides", () => {
  const change = renamed(z.strictObject({ new_name: z.string().exactOptional() }), { newName: "new_name" });

  expect(change.parse({})).toEqual({});
  expect(written(change, {})).toEqual({});
  expect(written(change, { newName: "n" })).toEqual({ new_name: "n" });
});

test("what JSON cannot say is no answer", () => {
  expect(() => written(visit, { ...value, guestId: 5 } as never)).toThrow();
});
