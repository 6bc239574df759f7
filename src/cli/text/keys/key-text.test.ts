import { expect, test } from "vitest";
import type { KeyFundsJson } from "../../../contract/funds.ts";
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
  tiers: null,
  regions: null,
  account_tiers: null,
  account_regions: null,
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
  expect(keyListing({ data: [], next: null }, { search: "50%\n" })).toMatch(/^No keys found for 50%.\.$/);
  expect(keyListing({ data: [], next: null }, {})).toContain("tollgate keys create");
});

test("a new key that has expired already is told so, since its date was most likely mistyped", () => {
  const funds = { unit: "credit", balance: "5", period: null, counters: [] as unknown } as KeyFundsJson;
  const past = { ...row("a"), status: "expired" as const, expires_at: "2020-01-01T00:00:00.000Z" };

  expect(openingAdvice(past, funds)).toContain("(already expired on 2020-01-01T00:00:00.000Z) with 5 credits");
  expect(openingAdvice(row("a"), funds)).not.toContain("expired");
});

const counter = (fields: Partial<KeyFundsJson["counters"][number]>) =>
  ({
    kind: "limit",
    unit: "credit",
    account_id: "0199",
    holder: "Search",
    models: null,
    available: "0",
    ...fields,
  }) as KeyFundsJson["counters"][number];
const fundsOf = (...counters: KeyFundsJson["counters"]): KeyFundsJson =>
  ({ unit: "credit", balance: "0", period: null, counters }) as KeyFundsJson;

test("a new key is said to be rejected only if it is, and what to do about it is what helps", () => {
  const ofSomeModels = fundsOf(counter({ models: ["big", "o*"], available: "9" }), counter({ models: ["big"] }));
  const said = (funds: KeyFundsJson) => openingAdvice(row("a"), funds).split("\n")[0];

  expect(said(ofSomeModels)).toContain("Its limits pay for some models only: big, o*.");
  expect(said(ofSomeModels)).not.toContain("rejected");
  expect(said(fundsOf())).toContain("so requests are rejected. Add credit: tollgate topup tgc_a034Fq4J 25");
  expect(said(fundsOf(counter({ unit: "tokens" })))).toContain("Add credit: tollgate topup tgc_a034Fq4J 25");
  expect(said(fundsOf(counter({ kind: "purse" })))).toContain(
    "Account Search pays for it and has no credit, so requests are rejected. Add credit: tollgate accounts topup 0199 25",
  );
  expect(said(fundsOf(counter({ renews_at: "2026-12-01T00:00:00.000Z" })))).toContain(
    "The limit of account Search is used up, so requests are rejected until it renews at 2026-12-01T00:00:00.000Z.",
  );
  expect(said(fundsOf(counter({ renews_at: null })))).toContain(
    "The limit of account Search is used up, so requests are rejected. Raise it: tollgate accounts limit 0199",
  );
});
