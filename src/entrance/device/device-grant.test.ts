import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { createId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { createDeviceGrantStore } from "./device-grant-store.ts";
import {
  createUserCode,
  type DeviceGrantOrder,
  type DeviceGrantStore,
  readUserCode,
  shownUserCode,
} from "./device-grant.ts";
import { createPeopleStore } from "../../people/people-store.ts";

const START = Date.UTC(2026, 0, 5);
const MINUTE = 60_000;

let database: Database;
let store: DeviceGrantStore;
let personId: string;
beforeAll(async () => {
  database = await emptyDatabase();
  store = createDeviceGrantStore(database);
  personId = createId(START);
  const who = { id: personId, email: "ann@acme.example", name: "Ann", accountId: null, passwordHash: null };
  await createPeopleStore(database).insert({ ...who, source: "given", grants: [], atMs: START });
}, 150_000);
afterAll(() => database.close());

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const FEW = { atPlace: 3, overall: 1_000 };

async function waiting(changes: Partial<DeviceGrantOrder> = {}): Promise<DeviceGrantOrder> {
  const order = { ...unsaved(), ...changes };
  expect(await store.add(order, FEW)).toBe("added");
  return order;
}

const unsaved = (): DeviceGrantOrder => ({
  id: createId(START),
  deviceDigest: randomBytes(32),
  userCode: createUserCode(),
  createdAtMs: START,
  expiresAtMs: START + 10 * MINUTE,
  address: "192.0.2.1",
  place: null,
  agent: "claude-code/2.1.325",
});

/** Somebody signed in with the code, and their browser got this. */
async function decidable({ id }: DeviceGrantOrder): Promise<Buffer> {
  const answerDigest = randomBytes(32);
  expect(await store.identify(id, { personId, answerDigest, atMs: START })).toMatchObject({ id });
  return answerDigest;
}

const poll = (order: DeviceGrantOrder, atMs: number) => store.poll(order.deviceDigest, { atMs, leastMs: 5_000 });

describe("a user code", () => {
  test("has eight of twenty consonants, all of which occur at every place", () => {
    const codes = Array.from({ length: 2_000 }, createUserCode);

    for (let at = 0; at < 8; at++) expect(new Set(codes.map((code) => code[at])).size).toBe(20);
    expect(new Set(codes).size).toBe(2_000);
    expect(codes.every((code) => /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code))).toBe(true);
  });

  test("is read as people type it", () => {
    expect(["ZDFP-BCGM", "zdfpbcgm", " zdfp bcgm "].map(readUserCode)).toEqual(Array(3).fill("ZDFPBCGM"));
    expect(["", "ZDFP-BCG", "ZDFP-BCGA", "ZDFP-BCGMM", "<script>"].map(readUserCode)).toEqual(Array(5).fill(null));
    expect(shownUserCode("ZDFPBCGM")).toBe("ZDFP-BCGM");
  });
});

describe("a device grant", () => {
  test("is approved to one poll of many at once, by the browser that signed in alone", async () => {
    const order = await waiting();
    expect(await poll(order, START)).toEqual({ kind: "pending" });
    const browser = await decidable(order);
    expect(await store.decide(digest("another browser"), { verdict: "approved", atMs: START })).toBeNull();
    expect(await store.decide(browser, { verdict: "approved", atMs: START })).toMatchObject({ personId });
    expect(await store.decide(browser, { verdict: "denied", atMs: START })).toBeNull();

    const polls = await Promise.all(Array.from({ length: 8 }, () => poll(order, START + MINUTE)));
    expect(polls.filter(({ kind }) => kind === "approved")).toEqual([
      { kind: "approved", personId, grant: expect.objectContaining({ id: order.id, agent: order.agent }) as unknown },
    ]);
    expect(await poll(order, START + 2 * MINUTE)).toEqual({ kind: "expired" });
  });

  test("can be had again when what it was to lead to failed", async () => {
    const order = await waiting();
    await store.decide(await decidable(order), { verdict: "approved", atMs: START });
    expect((await poll(order, START)).kind).toBe("approved");
    await store.giveBack(order.id);

    expect((await poll(order, START + 1_000)).kind).toBe("approved");
  });

  test("that was denied or not decided in time is not approved, and an unknown one is as one that expired", async () => {
    const denied = await waiting();
    await store.decide(await decidable(denied), { verdict: "denied", atMs: START });
    const late = await waiting();
    const browser = await decidable(late);

    expect(await poll(denied, START)).toEqual({ kind: "denied" });
    expect(await store.decide(browser, { verdict: "approved", atMs: START + 11 * MINUTE })).toBeNull();
    expect(await poll(late, START + 11 * MINUTE)).toEqual({ kind: "expired" });
    expect(await store.poll(digest("unknown"), { atMs: START, leastMs: 5_000 })).toEqual({ kind: "expired" });
    expect(await store.enter(late.userCode, { atMs: START + 11 * MINUTE, most: 10 })).toBeNull();
  });

  test("tells a client that it asks too often, every time until it waits", async () => {
    const order = await waiting();
    const kinds = [];
    for (const seconds of [0, 3, 6, 9, 14]) kinds.push((await poll(order, START + seconds * 1_000)).kind);

    expect(kinds).toEqual(["pending", "too_fast", "too_fast", "too_fast", "pending"]);
  });

  test("is denied when its code was typed too often", async () => {
    const order = await waiting();
    for (let time = 0; time < 3; time++)
      expect(await store.enter(order.userCode, { atMs: START, most: 3 })).toMatchObject({ id: order.id });

    expect(await store.enter(order.userCode, { atMs: START, most: 3 })).toBeNull();
    expect(await poll(order, START)).toEqual({ kind: "denied" });
  });

  test("belongs to whoever signed in last with its code", async () => {
    const order = await waiting();
    const first = await decidable(order);
    const last = await decidable(order);

    expect(await store.decide(first, { verdict: "approved", atMs: START })).toBeNull();
    expect(await store.decide(last, { verdict: "approved", atMs: START })).toMatchObject({ personId });
  });

  test("is one of a few from one place, and of many overall", async () => {
    const place = "198.51.100.7";
    for (let each = 0; each < 3; each++) await waiting({ place });
    const { userCode, ...order } = await waiting();
    const again = { ...order, id: createId(START), deviceDigest: randomBytes(32) };

    expect(await store.add({ ...again, userCode: createUserCode(), place }, FEW)).toBe("too_many");
    expect(await store.add({ ...again, userCode }, FEW)).toBe("code_taken");
    const later = { ...again, userCode: createUserCode(), place, createdAtMs: START + 11 * MINUTE };
    expect(await store.add(later, FEW)).toBe("added");
  });

  test("keeps its place in a crowd: those who came last make room, and no other place has to", async () => {
    await database.query("delete from device_grant");
    const most = { atPlace: 100, overall: 6 };
    const start = async (place: string | null, afterMs: number) => {
      const order = { ...unsaved(), place, createdAtMs: START + afterMs, expiresAtMs: START + 10 * MINUTE };
      return { order, outcome: await store.add(order, most) };
    };
    const waits = async ({ order }: Awaited<ReturnType<typeof start>>) => (await poll(order, START)).kind === "pending";

    const first = await start(null, 0);
    const elsewhere = await start("198.51.100.8", 1);
    const crowd = [];
    for (let at = 2; at < 12; at++) crowd.push(await start(null, at));
    const late = await start("198.51.100.9", 20);

    expect(crowd.map(({ outcome }) => outcome)).toEqual([...Array(4).fill("added"), ...Array(6).fill("too_many")]);
    expect(late.outcome).toBe("added");
    expect(await Promise.all([first, elsewhere, late].map(waits))).toEqual([true, true, true]);
    expect(await Promise.all(crowd.slice(0, 4).map(waits))).toEqual([true, true, true, false]);
  });
});
