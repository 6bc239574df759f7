import { expect, test } from "vitest";
import { createId, requestIdOf } from "./ids.ts";

test("ids are UUIDs of version 7 and sort by the time they were made", () => {
  const early = createId(1_700_000_000_000);
  const late = createId(1_700_000_000_001);

  expect(early).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(early < late).toBe(true);
});

test("ten thousand ids of one millisecond are all different", () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => createId(1_700_000_000_000)));

  expect(ids.size).toBe(10_000);
});

test("the request id is the UUID without its dashes", () => {
  expect(requestIdOf("018bcfe5-6800-7000-8000-000000000001")).toBe("req_018bcfe5680070008000000000000001");
});
