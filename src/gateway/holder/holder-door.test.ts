import { expect, test } from "vitest";
import { Fault } from "../../core/fault.ts";
import type { Key } from "../../keys/key.ts";
import { createSessionToken } from "../../keys/key-session.ts";
import { createMinuteCount } from "../../keys/minute-count.ts";
import { createHolderDoor, type HolderStores, type Shown } from "./holder-door.ts";

const clock = { nowMs: () => 1_000, elapsedMs: () => 1_000 };
const keyNamed = (id: string): Key => ({ id, bucket: 1, status: "active", personId: null }) as unknown as Key;
const TOKEN = createSessionToken(1);
const shown = (secret: string): Shown => ({ secret, token: null, address: () => null });
const WAYS: readonly [string, Shown][] = [
  ["its secret", shown("ann")],
  ["a session", { secret: null, token: TOKEN, address: () => null }],
];

/** Every secret is the id of its key; the session is Ann's. */
function openDoor() {
  let lookups = 0;
  const door = createHolderDoor({
    authenticate: { find: (secret) => keyNamed(secret) },
    storesOf: () =>
      ({
        sessions: { find: () => Promise.resolve({ secretDigest: Buffer.alloc(32), keyId: "ann", expiresAtMs: 9_000 }) },
        keys: {
          findByDigests: () => {
            lookups++;
            return Promise.resolve([keyNamed("ann")]);
          },
        },
      }) as unknown as HolderStores,
    unknown: { waitMs: () => 0, noteUnknown: () => undefined },
    reads: createMinuteCount({ clock, perMinute: 1_000 }),
    readsPerMinute: 1_000,
    leaveBrowser: () => Promise.resolve(),
    clock,
  });
  return { door, lookups: () => lookups };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each(WAYS)(
  "of many reads at once by %s eight are let in, and two of them have a connection",
  async (_way, who) => {
    const { door } = openDoor();
    const running: (() => void)[] = [];
    let most = 0;
    const work = async (): Promise<string> => {
      await new Promise<void>((resolve) => {
        most = Math.max(most, running.push(resolve));
      });
      return "told";
    };
    const outcomes = Array.from({ length: 20 }, () =>
      door.read(who, work).catch((error: unknown) => (error instanceof Fault ? error.code : "bug")),
    );
    await settled();
    while (running.length > 0) {
      running.shift()?.();
      await settled();
    }

    const told = await Promise.all(outcomes);
    expect(told.filter((outcome) => outcome === "told")).toHaveLength(8);
    expect(told.filter((outcome) => outcome === "rate_limit_exceeded")).toHaveLength(12);
    expect(most).toBe(2);
    expect(await door.read(who, () => Promise.resolve("again"))).toBe("again");
  },
);

test("a key whose reads wait asks the database for no more of itself than it may read at once", async () => {
  const { door, lookups } = openDoor();
  const reads = Array.from({ length: 20 }, () => door.read(shown("ann"), () => new Promise<never>(() => undefined)));
  for (const read of reads) read.catch(() => undefined);
  await settled();

  expect(lookups()).toBe(2);
});

test("a read that fails makes room for the next", async () => {
  const { door } = openDoor();
  const failing = Array.from({ length: 8 }, () => door.read(shown("ann"), () => Promise.reject(new Error("no"))));

  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(8).fill("rejected"));
  expect(await door.read(shown("ann"), () => Promise.resolve("told"))).toBe("told");
});
