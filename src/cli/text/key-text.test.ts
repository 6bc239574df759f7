import { expect, test } from "vitest";
import type { KeyFundsJson } from "../../wire/admin/funds.ts";
import { keyListing, keyName, openingAdvice } from "./key-text.ts";

test("a key is named by its prefix and label, and a label cannot write lines of its own", () => {
  expect(keyName({ prefix: "tgc_a034Fq4J", label: null })).toBe("tgc_a034Fq4J…");
  expect(keyName({ prefix: "tgc_a034Fq4J", label: "Anna\n\u001B[2J" })).toBe("tgc_a034Fq4J… (Anna��[2J)");
});

const row = (id: string) => ({
  id,
  prefix: "tgc_a034Fq4J",
  account_id: null,
  person_id: null,
  account: null,
  unit: "credit" as const,
  available: "4.5",
  charged: "0",
  reserved: "0",
  spent: "0.5",
  tokens: 20,
  mode: "credit" as const,
  status: "active" as const,
  label: null,
  provider_scope: "all",
  models: null,
  rpm_limit: null,
  expires_at: null,
  created_at: "2026-11-15T00:00:00.000Z",
});

test("a page of keys that is not the last says how to go on", () => {
  const data = [row("a"), row("b")];

  expect(keyListing({ data, next: "abc" }, {})).toMatch(/\n\nThere are more. Continue with --after abc$/);
  expect(keyListing({ data, next: null }, {})).not.toContain("--after");
});

test("an empty page after others is not taken for a gateway without keys", () => {
  expect(keyListing({ data: [], next: null }, { after: "b" })).toBe("No more keys.");
  expect(keyListing({ data: [], next: null }, {})).toContain("tollgate keys create");
});

test("a new key that has expired already is told so, since its date was most likely mistyped", () => {
  const funds = { unit: "credit", balance: "5", period: null } as KeyFundsJson;
  const past = { ...row("a"), status: "expired" as const, expires_at: "2020-01-01T00:00:00.000Z" };

  expect(openingAdvice(past, funds)).toContain("(already expired on 2020-01-01T00:00:00.000Z) with 5 credits");
  expect(openingAdvice(row("a"), funds)).not.toContain("expired");
});
