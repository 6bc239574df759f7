import { expect, test } from "vitest";
import { quarantineListing, releaseText } from "./quarantine-text.ts";

const hold = {
  request_id: "req_019a84d2c6b87c1e9d3f0a5b7e2c4d60",
  key_id: "019a84d2-0000-7000-8000-000000000001",
  unit: "credit" as const,
  reserved: "0.25",
  would_charge: "0.1",
  model: "m",
  admitted_at: "2026-11-15T12:00:00.000Z",
  since: "2026-11-15T12:00:20.000Z",
  sqlstate: "23514",
  reason: 'new row for relation "balance" violates check constraint "held_not_negative"',
  fix: "Run `tollgate ledger verify --key KEY`.",
};

test("what is in quarantine is listed with what it holds, since when, why, and a fix that can be copied", () => {
  const text = quarantineListing({ data: [hold], next: null, total: 1 });

  expect(text).toContain(`${hold.request_id}\n  key           ${hold.key_id}\n  reserved      0.25 credits`);
  expect(text).toContain("since         2026-11-15T12:00:20.000Z");
  expect(text).toContain('"held_not_negative" (SQLSTATE 23514)');
  expect(text).toContain(`tollgate ledger verify --key ${hold.key_id}`);
  expect(text).toContain("1 request in quarantine");
});

test("a list that leaves some out says how many there are", () => {
  const page = quarantineListing({ data: [hold], next: "abc", total: 40 });

  expect(page).toContain("1 of 40 requests in quarantine");
  expect(page).toMatch(/Continue with --after abc$/);
  expect(quarantineListing({ data: [], next: null, total: 0 })).toBe("No request is in quarantine.");
});

test.each([
  ["charged", "charged 0.1"],
  ["voided", "without a charge"],
  ["ended_before", "Nothing to do"],
  ["not_quarantined", "not in quarantine"],
  ["refused", "still in quarantine. because (SQLSTATE 23505). do this"],
] as const)("a release that is %s says so", (result, words) => {
  const rest = { unit: "credit" as const, charged: "0.1", sqlstate: "23505", reason: "because", fix: "do this" };

  expect(releaseText({ request_id: hold.request_id, result, ...rest })).toContain(words);
});
