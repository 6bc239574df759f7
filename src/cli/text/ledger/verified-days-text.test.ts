import { expect, test } from "vitest";
import { continuousText, dayListing } from "./verified-days-text.ts";

const DAY = {
  day: "2026-01-05",
  charges: 1_200,
  digest: "0123456789abcdef0123",
  looked_at: "2026-01-07T12:00:00.000Z",
  took_ms: 3_400,
  mismatches: 0,
  in_progress: false,
  found: [],
};
const CONTINUOUS = {
  verified_at: "2026-01-07T12:00:01.000Z",
  mismatches: 0,
  found: [],
  days: 1,
  pending: 0,
  oldest_look_at: "2026-01-07T12:00:00.000Z",
  listed: [DAY],
};
const of = (continuous: Parameters<typeof continuousText>[0]) => ({ continuous, whole: null, recent: [] });

test("a ledger that balances is told in a line, with the moment up to which it is verified", () => {
  expect(continuousText(CONTINUOUS)).toBe(
    "Gateways verified everything up to 2026-01-07T12:00:01.000Z: 1 day of charges, no difference",
  );
  expect(continuousText({ ...CONTINUOUS, verified_at: null, pending: 3 })).toBe(
    "Gateways have not finished their first round yet: 1 day of charges, 3 more in progress, no difference",
  );
  expect(continuousText(null)).toContain("cannot read");
});

test("days are listed with their digests, and then what differs, in days and balances", () => {
  const wrong = {
    key_id: null,
    account_id: null,
    counter: null,
    column: "charges of 2026-01-05",
    expected: "2",
    found: "1",
  };
  const balance = { ...wrong, key_id: "k", counter: 7, column: "counter.used" };
  const text = dayListing(
    of({ ...CONTINUOUS, mismatches: 2, found: [balance], listed: [{ ...DAY, mismatches: 1, found: [wrong] }] }),
  );

  expect(text).toContain("2026-01-05  1 differ");
  expect(text).toContain("0123456789abcdef\n");
  expect(text).toMatch(/balances, key k +counter\.used +2 +1/);
  expect(text).toMatch(/2026-01-05 +charges of 2026-01-05 +2 +1/);
  expect(text).toContain("2 differences");
});
