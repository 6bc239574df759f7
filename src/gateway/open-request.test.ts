import { payerNamed } from "../core/money/payer.ts";
import { expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import type { Key } from "../keys/key.ts";
import { createRateDenials } from "../ledger/turn/rate-denials.ts";
import { createOpenRequest } from "./open-request.ts";

const KEY: Key = {
  id: "k1",
  bucket: 1,
  version: 1,
  mode: "credit",
  prefix: "tgc_00100000",
  label: null,
  status: "active",
  providerScope: "all",
  models: null,
  tiers: null,
  regions: null,
  rpmLimit: null,
  expiresAtMs: null,
  secretExpiresAtMs: null,
  createdAtMs: 0,
  accountId: "a1",
  accounts: ["a1"],
  personId: null,
  payer: payerNamed("key"),
  accountStatus: "active",
  accountTiers: null,
  accountRegions: null,
  chain: { id: 1, own: "credit", counters: [] },
};
const NOW_MS = 1_000_000;
const clock = { ...systemClock, nowMs: () => NOW_MS };

const openWith = (changes: Partial<Key>, found: (key: Key) => Promise<Key> | Key = (key) => key) => {
  const openRequest = createOpenRequest({
    authenticate: {
      find: () => found({ ...KEY, ...changes }),
      again: async (_secret, { version }) => ({ ...KEY, version: version + 1 }),
      forget: () => undefined,
    },
    denials: createRateDenials(clock),
    clock,
    publicUrl: () => "https://gate.example",
  });
  return (origin: Key["mode"] = "credit", refusals: "full" | "unauthorised_only" = "full") =>
    openRequest({ secret: "s", address: () => "::1", origin, refusals, onRate: () => undefined });
};

test("a key that is remembered is let in without waiting; one that is looked up, with", async () => {
  expect(openWith({})()).toMatchObject({ key: { id: "k1" } });
  const looked = openWith({}, (key) => Promise.resolve(key))();
  expect(looked).toBeInstanceOf(Promise);
  expect(await looked).toMatchObject({ key: { id: "k1" } });
});

test.each<[name: string, changes: Partial<Key>, code: string]>([
  ["revoked", { status: "revoked" }, "invalid_credentials"],
  ["suspended", { status: "suspended" }, "invalid_credentials"],
  ["disabled", { status: "disabled" }, "key_disabled"],
  ["expired", { expiresAtMs: NOW_MS }, "key_expired"],
  ["rotated out", { secretExpiresAtMs: NOW_MS }, "invalid_credentials"],
])(
  "a key that is %s is refused, and where 403 is not listed with 401 [AUT-14] [AUT-15] [KEY-8] [KEY-9] [KEY-10]",
  (_name, changes, code) => {
    expect(() => openWith(changes)()).toThrow(expect.objectContaining({ code }));
    expect(() => openWith(changes)("credit", "unauthorised_only")).toThrow(
      expect.objectContaining({ code: "invalid_credentials" }),
    );
  },
);

test("a date that has not come refuses nobody", () => {
  expect(openWith({ expiresAtMs: NOW_MS + 1, secretExpiresAtMs: NOW_MS + 1 })()).toMatchObject({ key: { id: "k1" } });
});

test("a key at the other mode's origin is told its own base URL [ORI-4] [ORI-5] [ORI-6]", () => {
  expect(() => openWith({})("token_budget")).toThrow(
    "Its base URL is https://gate.example/v1 for OpenAI-compatible clients and https://gate.example for",
  );
  expect(() => openWith({ mode: "token_budget" })("credit")).toThrow(
    "https://gate.example/token/v1 for OpenAI-compatible clients and https://gate.example/token for",
  );
});

test("the state of a key is told before its origin, and a looked-up key is judged alike [ORD-1]", async () => {
  const expired = openWith({ expiresAtMs: 0 }, (key) => Promise.resolve(key));

  await expect(expired("token_budget")).rejects.toMatchObject({ code: "key_expired" });
});
