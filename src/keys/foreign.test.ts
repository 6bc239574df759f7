import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { createAuthenticate } from "./authenticate.ts";
import { createIssueKey } from "./issue-key.ts";
import type { Key, NewKey } from "./key.ts";
import { createSecret, digestOf, foreignPrefix, foreignProblem, isForeign } from "./secret.ts";

const KEPT = "sk-q3N7xVd0LkRzT9aWbYpE2g";
const HERE = (): string => "192.0.2.1";
const ELSEWHERE = (): string => "198.51.100.1";
const limits = { cacheEntries: 100, cacheMs: 60_000, negativeCacheEntries: 1, negativeCacheMs: 1, unknownPerMinute: 5 };

/** A store that knows some secrets and remembers what it was asked. */
function opened(accept: "on" | "off", known: readonly string[] = [KEPT], issued: readonly string[] = []) {
  const asked: string[] = [];
  const digests = new Map(
    known.map((secret) => [
      digestOf(secret),
      { id: secret, status: "active", accounts: [secret] as readonly string[] } as Key,
    ]),
  );
  const store = {
    findByDigests: async (wanted: readonly Buffer[]) => {
      asked.push(...wanted.map((digest) => digest.toString("base64url")));
      return wanted.map((digest) => digests.get(digest.toString("base64url")) ?? null);
    },
  };
  const hint = {
    has: (digest: Buffer) => issued.some((secret) => digestOf(secret) === digest.toString("base64url")),
    add: () => undefined,
  };
  const options = {
    store,
    issued: hint,
    clock: systemClock,
    ...limits,
    acceptForeign: accept,
    foreignUnknownPerMinute: 3,
  };
  return { ...createAuthenticate(options), asked };
}

const random = (at: number): string => `sk-${Buffer.from(`${at}`.padStart(24, "x7Qz")).toString("base64url")}`;
const outcome = async (work: () => Promise<Key> | Key): Promise<string> => {
  try {
    return (await work()).id;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test("a secret of another product is rejected without a query unless foreign secrets are accepted", async () => {
  const [off, on] = [opened("off"), opened("on")];

  expect(await outcome(() => off.find(KEPT, HERE))).toBe("invalid_credentials");
  expect(off.asked).toEqual([]);
  expect(await outcome(() => on.find(KEPT, HERE))).toBe(KEPT);
});

test("a text that begins like a secret of ours is never looked up as a foreign one", async () => {
  const { secret } = createSecret("credit");
  const mistyped = `${secret.slice(0, -1)}${secret.endsWith("a") ? "b" : "a"}`;
  const { find, asked } = opened("on", [KEPT, mistyped]);

  for (const text of [mistyped, `tgt_${"x".repeat(40)}`, "tgc_", "short", "", "x".repeat(257), `${KEPT}\u00e9${KEPT}`])
    expect(await outcome(() => find(text, HERE))).toBe("invalid_credentials");
  expect(asked).toEqual([]);
});

test("unknown foreign secrets have a bound of their own, which touches neither new keys of ours nor foreign keys that exist", async () => {
  const ours = createSecret("credit").secret;
  const { find, asked } = opened("on", [KEPT, ours], [KEPT]);

  const guesses = [];
  for (let at = 0; at < 10; at++) guesses.push(await outcome(() => find(random(at), HERE)));

  expect(guesses).toEqual([...Array(3).fill("invalid_credentials"), ...Array(7).fill("rate_limit_exceeded")]);
  expect(asked).toHaveLength(3);
  expect(await outcome(() => find(ours, HERE))).toBe(ours);
  expect(await outcome(() => find(KEPT, HERE))).toBe(KEPT);
  expect(await outcome(() => find(random(99), ELSEWHERE))).toBe("invalid_credentials");
});

test("a crowd of foreign guesses at once is looked up by sixteen, and leaves the queue of ours free", async () => {
  const ours = createSecret("token_budget").secret;
  const { find, asked } = opened("on", [ours]);

  const crowd = Array.from({ length: 100 }, (_, at) => outcome(() => find(random(at), () => `192.0.2.${at}`)));
  const mine = outcome(() => find(ours, HERE));

  expect((await Promise.all(crowd)).filter((code) => code === "service_unavailable")).toHaveLength(84);
  expect(await mine).toBe(ours);
  expect(asked).toHaveLength(17);
});

test.each([
  ["sk-1234", "7 characters; 24 to 256"],
  ["a".repeat(24), "about 0 bits, and at least 80"],
  ["abcdefghijklmnopqrstuvwxyz0123456789", "too easy to guess"],
  ["0123456789".repeat(4), "too easy to guess"],
  ["abababababababababababababab", "about 2"],
  ["x".repeat(300), "300 characters"],
  ["sk-q3N7xVd0LkRzT9 WbYpE2gaaa", "printable ASCII"],
  [createSecret("credit").secret, "begins like a secret of Tollgate"],
])("%s is not kept", (secret, why) => {
  expect(foreignProblem(secret)).toContain(why);
  expect(foreignProblem(secret)).not.toContain(secret);
});

test("whatever a random generator of another product makes with 128 bits is kept, and its name says nothing of it", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 16, maxLength: 48 }),
      fc.constantFrom("base64url" as const, "hex" as const),
      (bytes, encoding) => {
        fc.pre(new Set(bytes).size >= 14);
        const secret = `sk-${Buffer.from(bytes).toString(encoding)}`;
        const prefix = foreignPrefix(Buffer.from(digestOf(secret), "base64url"));

        expect(foreignProblem(secret)).toBeNull();
        expect(isForeign(secret)).toBe(true);
        expect(prefix).toMatch(/^ext_[0-9a-f]{8}$/);
      },
    ),
    { numRuns: 200 },
  );
});

test("a key that keeps its secret is stored by the digest alone, in a bucket of its own, and nothing is handed back", async () => {
  const kept: NewKey[] = [];
  const insert = async (key: NewKey): Promise<Key> => {
    kept.push(key);
    return { id: key.id } as Key;
  };
  const issue = createIssueKey({
    atomically: (work) => work({ insert, fund: async () => undefined }),
    clock: systemClock,
  });
  const order = {
    mode: "token_budget",
    label: null,
    providerScope: "all",
    models: null,
    tiers: null,
    regions: null,
    rpmLimit: null,
    expiresAtMs: null,
    funds: null,
  } as const;
  const digest = Buffer.from(digestOf(KEPT), "base64url");

  const { secret } = await issue(order, { actor: "test" }, digest);

  expect(secret).toBeNull();
  expect(kept).toMatchObject([{ mode: "token_budget", secretDigest: digest, prefix: foreignPrefix(digest) }]);
  expect(kept[0]?.bucket).toBeLessThan(4_096);
});
