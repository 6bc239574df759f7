import { expect, test } from "vitest";
import type { Sink } from "../../core/request/sink.ts";
import type { Key } from "../../keys/key.ts";
import { createCutStopped } from "./cut-stopped.ts";
import type { GenerationState } from "./generation.ts";
import { createRunning } from "./running.ts";
import { WatchedSink } from "./deliver/watched-sink.ts";

type Of = { accounts?: readonly string[]; streamed?: "yes" | "no" };

function runningOne({ accounts = ["organisation", "team"], streamed = "yes" }: Of = {}) {
  const running = createRunning();
  const sink = new WatchedSink({ isGone: () => false } as Sink, {
    keyId: "key",
    bucket: 7,
    accounts,
    streamed,
    detached: "no",
    rememberBytes: 0,
  });
  running.began({ generation: { id: "id" }, sink } as GenerationState);
  return { running, told: () => sink.cutBy()?.message };
}

test("who is cut because the process stops is told so, and who is cut for the ledger that", () => {
  const [stopping, lost, closed] = [runningOne(), runningOne(), runningOne()];
  stopping.running.cutStopping();
  lost.running.cutLost();
  closed.running.cutClosed("id");

  expect(stopping.told()).toMatch(/gateway is shutting down/);
  expect(lost.told()).toMatch(/lost contact with its ledger/);
  expect(closed.told()).toBe(lost.told());
});

/** Looks at the one key as the database has it. */
function lookingAt(of: Of, key: Partial<Key> | "away") {
  const { running, told } = runningOne(of);
  let reads = 0;
  const findKey = () => {
    reads++;
    if (key === "away") return Promise.reject(new Error("away"));
    const accounts = ["organisation", "team"];
    const found = { id: "key", status: "active", accountStatus: "active", personId: null, accounts, ...key };
    return Promise.resolve([found as Key]);
  };
  return { ...createCutStopped({ running, findKey }), told, reads: () => reads };
}

test("what runs when its key expires ends by itself [L8]", async () => {
  const expired = lookingAt({}, { expiresAtMs: 1 });
  await expired.changed("key");
  await expired.changed(null);

  expect(expired.reads()).toBe(2);
  expect(expired.told()).toBeUndefined();
});

test("a key that cannot be read is looked at again", async () => {
  const away = lookingAt({}, "away");
  await away.changed("key");
  await away.changed("key");

  expect(away.reads()).toBe(2);
  expect(away.told()).toBeUndefined();
});

test("an answer that is sent whole runs on, and is paid for, unless its key was revoked [L8]", async () => {
  for (const status of ["suspended", "disabled", "revoked"] as const) {
    const { changed, told } = lookingAt({ streamed: "no" }, { status });
    await changed("key");

    expect(told() !== undefined).toBe(status === "revoked");
  }
});

test.each(["suspended", "disabled"] as const)(
  "streams under an account that was %s are cut, and no others [L8]",
  async (accountStatus) => {
    const under = lookingAt({}, { accountStatus });
    const beside = lookingAt({ accounts: ["organisation", "sales"] }, { accountStatus });
    for (const { accountChanged } of [under, beside]) await accountChanged("team");

    expect(under.told()).toBe(`The account of this API key was ${accountStatus} while the request was in progress.`);
    expect(beside.reads()).toBe(0);
    await beside.accountChanged("organisation");
    expect(beside.told()).toBe(under.told());
  },
);

test.each([
  [{ status: "revoked" }, "This session was ended while the request was in progress. Sign in again."],
  [
    { accountStatus: "suspended" },
    "The account of this session was suspended while the request was in progress. Ask an operator to resume it.",
  ],
  [
    { accountStatus: "disabled" },
    "The account of this session was disabled while the request was in progress. Ask an operator to enable it.",
  ],
] as const)("a stream of a client session that is cut says what to do: %o [L8]", async (changes, message) => {
  const { changed, told } = lookingAt({}, { personId: "ann", ...changes });
  await changed("key");

  expect(told()).toBe(message);
});

test("a stream whose key was moved is cut with the account that it stands under now [L8]", async () => {
  const found: Partial<Key> = { accounts: ["organisation", "sales"] };
  const moved = lookingAt({}, found);
  await moved.changed("key");
  await moved.accountChanged("team");
  expect(moved.reads()).toBe(1);

  found.accountStatus = "suspended";
  await moved.accountChanged("sales");
  expect(moved.told()).toContain("was suspended");
});

test("of a key and its account the worse status is told, and the key's own where both are as bad [L8]", async () => {
  const worse = lookingAt({}, { status: "suspended", accountStatus: "disabled" });
  const both = lookingAt({}, { status: "disabled", accountStatus: "disabled" });
  for (const { changed } of [worse, both]) await changed("key");

  expect(worse.told()).toContain("The account of this API key was disabled");
  expect(both.told()).toContain("This API key was disabled");
});

test("however often word of a key comes, it is read one time after the other, and once more after the last word", async () => {
  const { running } = runningOne();
  const reads: PromiseWithResolvers<readonly Key[]>[] = [];
  const findKey = (): Promise<readonly Key[]> => {
    const read = Promise.withResolvers<readonly Key[]>();
    reads.push(read);
    return read.promise;
  };
  const { changed } = createCutStopped({ running, findKey });

  const told = Array.from({ length: 1_000 }, () => changed("key"));
  expect(reads.length).toBe(1);
  reads[0]?.resolve([]);
  await new Promise(setImmediate);
  expect(reads.length).toBe(2);
  reads[1]?.resolve([]);
  await Promise.all(told);

  expect(reads.length).toBe(2);
});
