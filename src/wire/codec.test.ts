import { expect, test } from "vitest";
import { z } from "zod";
import { amount, credits, measured } from "./admin/amount.ts";
import { instant } from "./instant.ts";
import { renamed, sparse, within } from "./codec.ts";
import { written, writtenQuestion } from "./validate.ts";

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

test("amounts are in the unit of their object, and in tokens without one", () => {
  const hold = measured(
    z.object({ unit: z.enum(["credit", "tokens"]).nullable(), held: amount, left: amount.nullable() }),
    ["held", "left"],
  );

  for (const [unit, held] of [
    ["credit", "0.000000012"],
    ["tokens", "12"],
    [null, "12"],
  ] as const) {
    expect(hold.parse({ unit, held, left: null })).toEqual({ unit, held: 12n, left: null });
    expect(written(hold, { unit, held: 12n, left: null })).toEqual({ unit, held, left: null });
  }
  expect(hold.safeParse({ unit: "tokens", held: "1.5", left: null }).success).toBe(false);
});

test("what JSON cannot say is no answer", () => {
  expect(() => written(visit, { ...value, guestId: 5 } as never)).toThrow();
});

test("what a query leaves out is null here, and is left out of it again", () => {
  const query = sparse(z.strictObject({ limit: z.coerce.number(), left_after: instant.exactOptional() }), {
    leftAfterMs: "left_after",
  });

  expect(query.parse({ limit: "5" })).toEqual({ limit: 5, leftAfterMs: null });
  expect(written(query, { limit: 5, leftAfterMs: null })).toEqual({ limit: 5 });
  expect(written(query, { limit: 5, leftAfterMs: 0 })).toEqual({ limit: 5, left_after: "1970-01-01T00:00:00.000Z" });
});

test("one field alone can be all that is taken", () => {
  const order = within("guest", z.string(), z.strictObject);

  expect(order.parse({ guest: "g" })).toBe("g");
  expect(order.safeParse({ guest: "g", other: 1 }).success).toBe(false);
});

test("a question that would be refused is refused before it is asked", () => {
  expect(() => writtenQuestion(visit, { ...value, guestId: 5 } as never)).toThrow("guest_id: Input should be a string");
});
