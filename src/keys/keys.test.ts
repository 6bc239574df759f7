import { payerNamed } from "../core/money/payer.ts";
import { expect, test } from "vitest";
import { Fault } from "../core/fault.ts";
import { createAuthenticate } from "./authenticate.ts";
import { type Atomically, createIssueKey, type KeyOrder } from "./issue-key.ts";
import type { Key, NewKey } from "./key.ts";
import { createSecret, digestOf, isWellFormed } from "./secret.ts";
import { requireUsable } from "./usable.ts";
import { processorMs } from "../../tests/support/processor-time.ts";

const clock = { nowMs: () => 1_700_000_000_000, elapsedMs: () => elapsed };
let elapsed = 1_000;

const limits = {
  cacheEntries: 10,
  cacheMs: 60_000,
  negativeCacheEntries: 10,
  negativeCacheMs: 5_000,
  unknownPerMinute: 0,
  acceptForeign: "off" as const,
  foreignUnknownPerMinute: 3,
};
const HERE = () => "192.0.2.1";
/** As of a process that has heard of no key yet. */
const noneIssued = { has: () => false, add: () => undefined };
const allIssued = { has: () => true, add: () => undefined };

function keyOf(secret: string, changes: Partial<Key> = {}): Key {
  return {
    id: "018bcfe5-6800-7000-8000-000000000001",
    bucket: 7,
    version: 1,
    mode: "credit",
    prefix: secret.slice(0, 12),
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
    accountId: changes.id ?? "018bcfe5-6800-7000-8000-000000000001",
    accounts: [changes.id ?? "018bcfe5-6800-7000-8000-000000000001"],
    personId: null,
    payer: payerNamed("key"),
    accountStatus: "active",
    accountTiers: null,
    accountRegions: null,
    chain: { id: 1, own: "credit", counters: [] },
    ...changes,
  };
}

/** A store that knows some secrets and counts how often it is asked. */
function countingStore(...secrets: string[]) {
  const known = new Map(secrets.map((secret) => [digestOf(secret), keyOf(secret)]));
  const store = {
    asked: 0,
    known,
    findByDigests: async (digests: readonly Buffer[]) => {
      store.asked += digests.length;
      return digests.map((digest) => known.get(digest.toString("base64url")) ?? null);
    },
  };
  return store;
}

/** What anybody can read from a secret. */
const saidBy = (secret: string) => ({
  mode: secret.startsWith("tgc_") ? "credit" : "token_budget",
  bucket: Number.parseInt(secret.slice(4, 7), 16),
  prefix: secret.slice(0, 12),
});

test("a secret says its mode and bucket, and one wrong character is noticed without a database [KEY-17] [AUT-17]", () => {
  for (const mode of ["credit", "token_budget"] as const) {
    const { secret, bucket, prefix } = createSecret(mode);

    expect(secret).toMatch(/^tg[ct]_[0-9a-f]{3}[0-9A-Za-z]{38}$/);
    expect(saidBy(secret)).toEqual({ mode, bucket, prefix });
    expect(isWellFormed(secret)).toBe(true);
    for (let at = 0; at < secret.length; at++) {
      const other = secret[at] === "a" ? "b" : "a";
      expect(isWellFormed(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(false);
    }
  }
});

test("malformed credentials of every sort are refused without asking the store [AUT-17]", async () => {
  const store = countingStore();
  const { find } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });

  for (const text of [
    "",
    "x",
    "tgc_",
    "sk-123",
    "tgc_' or 1=1--",
    "tgc_\0".padEnd(45, "a"),
    "é".repeat(45),
    "a".repeat(100_000),
  ]) {
    expect(() => find(text, HERE)).toThrow(Fault);
  }
  expect(store.asked).toBe(0);
});

test("a known key is looked up once, however many ask at the same time", async () => {
  const { secret } = createSecret("credit");
  const store = countingStore(secret);
  const { find } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });

  const keys = await Promise.all(Array.from({ length: 50 }, async () => find(secret, HERE)));
  await find(secret, HERE);

  expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
  expect(store.asked).toBe(1);
});

test("unknown keys are remembered apart: a flood of them does not push a known key out [AUT-18]", async () => {
  const { secret } = createSecret("credit");
  const store = countingStore(secret);
  const { find } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });
  await find(secret, HERE);
  for (let count = 0; count < 100; count++)
    await expect(find(createSecret("credit").secret, HERE)).rejects.toThrow(Fault);
  store.asked = 0;

  await find(secret, HERE);
  expect(store.asked).toBe(0);
});

test("an unknown key is asked for once, and again after a while", async () => {
  const { secret } = createSecret("credit");
  const store = countingStore();
  const { find } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });

  await expect(async () => find(secret, HERE)).rejects.toThrow(Fault);
  await expect(async () => find(secret, HERE)).rejects.toThrow(Fault);
  expect(store.asked).toBe(1);
  elapsed += 5_001;
  await expect(async () => find(secret, HERE)).rejects.toThrow(Fault);
  expect(store.asked).toBe(2);
});

test("to forget a key takes no longer for all the others that are remembered, and forgets each of its secrets", async () => {
  const others = Array.from({ length: 5_000 }, () => createSecret("credit").secret);
  const [old, next] = [createSecret("credit").secret, createSecret("credit").secret];
  const store = countingStore(old, next);
  for (const [index, secret] of others.entries())
    store.known.set(digestOf(secret), keyOf(secret, { id: `other-${index}` }));
  const { find, forget } = createAuthenticate({ store, issued: allIssued, clock, ...limits, cacheEntries: 10_000 });
  for (const secret of [...others, old, next]) await find(secret, HERE);
  store.asked = 0;
  const forgettingMs = processorMs(() => {
    for (let count = 0; count < 5_000; count++) forget(keyOf(old).id);
  });

  expect(forgettingMs).toBeLessThan(1_000);
  for (const secret of [...others, old, next]) await find(secret, HERE);
  expect(store.asked).toBe(2);
});

test("a key made a moment after it was refused works as soon as the change is heard of", async () => {
  const { secret } = createSecret("credit");
  const store = countingStore();
  const { find, forget } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });
  await expect(async () => find(secret, HERE)).rejects.toThrow(Fault);

  store.known.set(digestOf(secret), keyOf(secret));
  forget("018bcfe5-6800-7000-8000-000000000001");

  await expect(find(secret, HERE)).resolves.toMatchObject({ status: "active" });
});

test("an answer already on its way when a change is heard of is not remembered", async () => {
  const { secret } = createSecret("credit");
  const stale = keyOf(secret);
  const { promise: slow, resolve: answer } = Promise.withResolvers<Key[]>();
  const answers = [slow, Promise.resolve([keyOf(secret, { status: "revoked" })])];
  const store = { findByDigests: async () => (await answers.shift()) ?? [] };
  const { find, forget } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });

  const first = find(secret, HERE);
  forget(stale.id);
  answer([stale]);
  await first;

  expect((await find(secret, HERE)).status).toBe("revoked");
});

test("word of an account forgets every key below it, and no other", async () => {
  const [mine, yours, lone] = [createSecret("credit"), createSecret("credit"), createSecret("credit")].map(
    ({ secret }) => secret,
  ) as [string, string, string];
  const store = countingStore(mine, yours, lone);
  const under = (secret: string, id: string, ...accounts: string[]) =>
    store.known.set(digestOf(secret), keyOf(secret, { id, accounts }));
  under(mine, "k1", "organisation", "team");
  under(yours, "k2", "organisation", "sales");
  const { find, forget } = createAuthenticate({ store, issued: allIssued, clock, ...limits });
  const asksAgain = async (id: string): Promise<number> => {
    for (const secret of [mine, yours, lone]) await find(secret, HERE);
    forget(id);
    store.asked = 0;
    for (const secret of [mine, yours, lone]) await find(secret, HERE);
    return store.asked;
  };

  expect(await asksAgain("team")).toBe(1);
  expect(await asksAgain("organisation")).toBe(2);
  expect(await asksAgain(keyOf(lone).id)).toBe(1);
  expect(await asksAgain("elsewhere")).toBe(0);
});

test("that other keys change keeps no answer on its way from being remembered", async () => {
  const { secret } = createSecret("credit");
  const store = countingStore(secret);
  const { find, forget } = createAuthenticate({ store, issued: allIssued, clock, ...limits });
  const found = find(secret, HERE);
  for (let other = 0; other < 100; other++) forget(`other ${other}`);
  await found;
  await find(secret, HERE);

  expect(store.asked).toBe(1);
});

test("a known key that has changed is read again, once for all who ask, and waits where others are refused", async () => {
  const { secret } = createSecret("credit");
  const store = countingStore(secret);
  // The hint has lost it, so that a caller who is not known yet would have to wait in the lane of guesses.
  const { find, again } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });
  const old = await find(secret, HERE);
  const guesses = Array.from({ length: 64 }, () => find(createSecret("credit").secret, HERE)).map((guess) =>
    Promise.resolve(guess).catch(() => null),
  );
  await expect(async () => find(createSecret("credit").secret, HERE)).rejects.toMatchObject({
    code: "service_unavailable",
  });
  store.known.set(digestOf(secret), keyOf(secret, { version: 2 }));
  store.asked = 0;
  const both = await Promise.all([again(secret, old), again(secret, old)]);
  const late = await again(secret, old);

  expect([...both, late].map(({ version }) => version)).toEqual([2, 2, 2]);
  expect(store.asked).toBe(1);
  await Promise.all(guesses);
});

test.each([
  ["active", {}, null, null],
  ["suspended", { status: "suspended" }, "invalid_credentials", "invalid_credentials"],
  ["revoked", { status: "revoked" }, "invalid_credentials", "invalid_credentials"],
  ["disabled", { status: "disabled" }, "key_disabled", "invalid_credentials"],
  ["expired", { expiresAtMs: 1_699_999_999_999 }, "key_expired", "invalid_credentials"],
  ["with a date to come", { expiresAtMs: 1_700_000_000_001 }, null, null],
  ["under a suspended account", { accountStatus: "suspended" }, "invalid_credentials", "invalid_credentials"],
  ["under a disabled account", { accountStatus: "disabled" }, "key_disabled", "invalid_credentials"],
  [
    "suspended under a disabled account",
    { status: "suspended", accountStatus: "disabled" },
    "key_disabled",
    "invalid_credentials",
  ],
  [
    "revoked under a disabled account",
    { status: "revoked", accountStatus: "disabled" },
    "invalid_credentials",
    "invalid_credentials",
  ],
  [
    "with a secret rotated away",
    { secretExpiresAtMs: 1_699_999_999_999 },
    "invalid_credentials",
    "invalid_credentials",
  ],
] as const)(
  "a key %s is refused as decided, with 403 and without [interface decision 2] [KEY-1]",
  (_name, changes, full, unauthorisedOnly) => {
    const key = keyOf("tgc_000000000000", changes);
    const code = (refusals: "full" | "unauthorised_only"): string | null => {
      try {
        requireUsable(key, clock.nowMs(), refusals);
        return null;
      } catch (error) {
        return (error as Fault).code;
      }
    };

    expect(code("full")).toBe(full);
    expect(code("unauthorised_only")).toBe(unauthorisedOnly);
  },
);

const order: KeyOrder = {
  mode: "token_budget",
  label: null,
  providerScope: "all",
  models: null,
  tiers: null,
  regions: null,
  rpmLimit: null,
  expiresAtMs: null,
  funds: null,
};

test("an issued key's secret is handed back and only its digest is kept [KEY-19]", async () => {
  let kept: NewKey | null = null;
  const insert = async (key: NewKey) => {
    kept = key;
    return keyOf(key.prefix);
  };
  const issue = createIssueKey({ atomically: (work) => work({ insert, fund: async () => undefined }), clock });

  const { secret: made } = await issue(order, { actor: "test" }, null);
  const secret = made ?? "";

  expect(kept).toMatchObject({ secretDigest: Buffer.from(digestOf(secret), "base64url"), prefix: secret.slice(0, 12) });
  expect(JSON.stringify(kept)).not.toContain(secret.slice(12));
});

test("a key and what it starts with are made together, so a failure in between hands out no secret", async () => {
  const done: string[] = [];
  const insert = async (key: NewKey) => {
    done.push("inserted");
    return keyOf(key.prefix);
  };
  const fund = () => Promise.reject(new Error("the ledger is away"));
  const atomically: Atomically = async (work) =>
    work({ insert, fund }).catch((error: unknown) => {
      done.pop();
      throw error;
    });
  const issue = createIssueKey({ atomically, clock });

  const funds = { kind: "budget", tokens: 5n, period: "day" } as const;
  await expect(issue({ ...order, funds }, { actor: "test" }, null)).rejects.toThrow("the ledger is away");
  expect(done).toEqual([]);
});

test("a further secret of a key names the bucket its key lies in", () => {
  for (const bucket of [0, 7, 4_095]) {
    expect(saidBy(createSecret("credit", bucket).secret)).toMatchObject({ bucket, mode: "credit" });
  }
});

test("a store that fails is a passing trouble of ours, not a wrong key", async () => {
  const { secret } = createSecret("credit");
  const store = { findByDigests: () => Promise.reject(new Error("connection refused")) };
  const { find } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });

  await expect(async () => find(secret, HERE)).rejects.toMatchObject({
    code: "service_unavailable",
    retryAfterSeconds: 2,
  });
});

test("a flood of unknown keys makes a bounded number of queries at once", async () => {
  let underway = 0;
  const store = { findByDigests: () => (underway++, new Promise<null[]>(() => undefined)) };
  const { find } = createAuthenticate({ store, issued: noneIssued, clock, ...limits });

  const refused = Array.from({ length: 500 }, () => {
    try {
      void find(createSecret("credit").secret, HERE);
      return false;
    } catch (error) {
      return (error as Fault).code === "service_unavailable";
    }
  });

  expect(underway).toBe(1);
  expect(refused.filter(Boolean)).toHaveLength(436);
});

test("a key that was issued is found while its address is over the limit and the guesses of others fill their lane [AUT-23]", async () => {
  const { secret } = createSecret("credit");
  const store = countingStore(secret);
  let stuck = false;
  const findByDigests = (digests: readonly Buffer[]) =>
    stuck && digests.every((digest) => digest.toString("base64url") !== digestOf(secret))
      ? new Promise<null[]>(() => undefined)
      : store.findByDigests(digests);
  const issued = { has: (digest: Buffer) => digest.toString("base64url") === digestOf(secret), add: () => undefined };
  const { find } = createAuthenticate({ store: { findByDigests }, issued, clock, ...limits, unknownPerMinute: 3 });
  const guess = () => find(createSecret("credit").secret, HERE);
  for (let count = 0; count < 3; count++) await expect(guess()).rejects.toMatchObject({ code: "invalid_credentials" });
  expect(guess).toThrow(expect.objectContaining({ code: "rate_limit_exceeded" }));
  stuck = true;
  for (let count = 0; count < 64; count++) void find(createSecret("credit").secret, () => null);
  expect(() => find(createSecret("credit").secret, () => null)).toThrow(
    expect.objectContaining({ code: "service_unavailable" }),
  );

  await expect(find(secret, HERE)).resolves.toMatchObject({ status: "active" });
});

test("callers that cannot be told apart are not limited by their address [AUT-24]", async () => {
  const { find } = createAuthenticate({
    store: countingStore(),
    issued: noneIssued,
    clock,
    ...limits,
    unknownPerMinute: 3,
  });

  for (let count = 0; count < 10; count++)
    await expect(find(createSecret("credit").secret, () => null)).rejects.toMatchObject({
      code: "invalid_credentials",
    });
});

test("keys looked up at the same time share a statement", async () => {
  const secrets = Array.from({ length: 300 }, () => createSecret("credit").secret);
  const store = countingStore(...secrets);
  let statements = 0;
  const findByDigests = (digests: readonly Buffer[]) => (statements++, store.findByDigests(digests));
  const { find } = createAuthenticate({ store: { findByDigests }, issued: allIssued, clock, ...limits });

  await Promise.all(secrets.map(async (secret) => find(secret, HERE)));

  // The first goes alone, the next 256 together, and then the rest.
  expect(statements).toBe(3);
});

test("an address that tries many unknown keys waits, while others and keys in use go on [AUT-19]", async () => {
  const { secret } = createSecret("credit");
  const store = countingStore(secret);
  let nowMs = 0;
  const hands = { ...clock, elapsedMs: () => nowMs };
  const { find } = createAuthenticate({ store, issued: noneIssued, clock: hands, ...limits, unknownPerMinute: 3 });
  const guess = (address: string) => async () => find(createSecret("credit").secret, () => address);
  await find(secret, HERE);
  for (let count = 0; count < 3; count++)
    await expect(guess(HERE())).rejects.toMatchObject({ code: "invalid_credentials" });
  store.asked = 0;

  const message = expect.stringMatching(/^Too many unknown API keys .* Please try again in 60s\.$/);
  await expect(guess(HERE())).rejects.toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 60, message });
  expect(store.asked).toBe(0);
  await find(secret, HERE);
  await expect(guess("192.0.2.2")).rejects.toMatchObject({ code: "invalid_credentials" });
  nowMs = 60_000;
  await expect(guess(HERE())).rejects.toMatchObject({ code: "invalid_credentials" });
});

test.each<[what: string, addresses: string[], other: string]>([
  ["a network of IPv6", ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2:3:4:5:6"], "2001:db8:1:3::1"],
  ["a network with zeros in its name", ["2001:db8::1", "2001:db8::1:0:0:1", "2001:db8:0:0:7::"], "2001:db8:0:1::1"],
  [
    "an IPv4 address on a socket of both kinds",
    ["::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"],
    "::ffff:192.0.2.2",
  ],
])(
  "%s is one place to try unknown keys from, however many addresses it has [AUT-19]",
  async (_what, addresses, other) => {
    const { find } = createAuthenticate({
      store: countingStore(),
      issued: noneIssued,
      clock,
      ...limits,
      unknownPerMinute: 3,
    });
    const guess = (address: string) => async () => find(createSecret("credit").secret, () => address);

    for (const address of addresses)
      await expect(guess(address)).rejects.toMatchObject({ code: "invalid_credentials" });

    for (const address of addresses)
      await expect(guess(address)).rejects.toMatchObject({ code: "rate_limit_exceeded" });
    await expect(guess(other)).rejects.toMatchObject({ code: "invalid_credentials" });
  },
);
