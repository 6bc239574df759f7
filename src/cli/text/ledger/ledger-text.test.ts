import { expect, test } from "vitest";
import { journalListing, verificationText } from "./ledger-text.ts";

const empty = {
  key: { id: "a", prefix: "tgc_a034Fq4J" },
  account: null,
  counter_kind: "purse" as const,
  unit: "credit" as const,
  data: [],
  next: null,
  opening: null,
};

test("an empty page behind others is not taken for an empty journal", () => {
  expect(journalListing(empty, {})).toBe("No entries for tgc_a034Fq4J… yet.");
  expect(journalListing(empty, { after: "WyJqb3VybmFsIl0" })).toBe("No earlier entries.");
});

const report = {
  ok: true,
  keys: 2,
  counters: 3,
  holds: 0,
  charges: 1_205,
  fundings: 1,
  recomputed: 0,
  quarantined: 0,
  mismatches: [],
  truncated: false,
};

test("a verification is one summary, with every count once", () => {
  expect(verificationText(report)).toBe(
    "The ledger is consistent. Checked 2 keys, 3 purses and limits, 1,205 charges, 1 funding, 0 holds.",
  );
});

test("a figure that differs is listed with whose it is, and counted", () => {
  const figures = { column: "counter.used", expected: "5", found: "4" };
  const mismatches = [
    { key_id: "019a", account_id: null, counter: null, ...figures, column: "balance.spent" },
    { key_id: null, account_id: "019b", counter: 7, ...figures },
    { key_id: null, account_id: null, counter: 8, ...figures },
  ];
  const text = verificationText({ ...report, ok: false, mismatches });

  expect(text).toMatch(/^WHERE +WHAT +EXPECTED +FOUND\nkey 019a +balance\.spent +5 +4\n/);
  expect(text).toMatch(/\naccount 019b, counter 7 +counter\.used +5 +4\ncounter 8 /);
  expect(text).toContain("The ledger is not consistent: 3 differences. Checked 2 keys");
});

test("the journal of an account names the key of each charge, and shows the units it has", () => {
  const entry = {
    at: "2026-11-01T00:00:00.000Z",
    settled_at: "2026-11-01T00:00:01.000Z",
    kind: "completed",
    credits: "-0.5",
    tokens: null,
    running: null,
    request_id: "req_1",
    key_id: "019a",
    model: "m",
    price_version: 1,
    input_tokens: 1,
    output_tokens: 2,
    reference: null,
    actor: null,
  };
  const account = { id: "019b", title: "Acme/Search" };
  const text = journalListing({ ...empty, key: null, account, counter_kind: null, data: [entry] }, {});

  expect(text).toMatch(/^TIME +KIND +CREDITS +KEY +MODEL +REQUEST +REFERENCE\n/);
  expect(text).toMatch(/completed +-0\.5 +019a +m +req_1/);
  expect(journalListing({ ...empty, key: null, account }, {})).toBe("No entries for Acme/Search yet.");
});
