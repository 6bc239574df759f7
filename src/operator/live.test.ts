import { expect, test } from "vitest";
import type { By } from "../core/people/by.ts";
import { createId } from "../core/ids.ts";
import type { InFlight } from "../core/request/in-flight.ts";
import type { CancelEnd, NumberedEnd } from "../live/live.ts";
import type { LiveView } from "../live/watch-live.ts";
import { createManageLive } from "./live.ts";

const [TEAM, OTHER] = ["a-team", "another-team"];
const OPERATOR: By = { actor: "admin" };
const LEAD: By = { actor: "lead@acme.example", within: [TEAM] };
const ID = `req_${"0".repeat(32)}`;
const NONE = { credits: null, tokens: null };

const request = (account: string): InFlight =>
  ({
    id: createId(0),
    keyId: `key-of-${account}`,
    accounts: ["acme", account],
    model: "m",
    reserved: NONE,
  }) as unknown as InFlight;
const end = (no: number, account: string, status = 200): NumberedEnd =>
  ({
    no,
    atMs: no,
    keyId: `key-of-${account}`,
    accounts: ["acme", account],
    model: "m",
    status,
    code: null,
  }) as unknown as NumberedEnd;
const viewOf = (ends: NumberedEnd[] = []): LiveView => ({
  inFlight: [request(TEAM), request(OTHER)],
  more: 7,
  processes: 1,
  silent: 0,
  ended: new Map([["p", ends]]),
});

type Wish = { state: "asked" | CancelEnd; inFlight: boolean };

/** The use cases over a view that the test shows. `wishes`: what is read of a wish to cancel, the last of them from then on. */
function stage(wishes: Wish[] = [{ state: "cancelled", inFlight: false }]) {
  let [elapsedMs, reads] = [0, 0];
  const watchers = new Set<{ seen: (view: LiveView) => void }>();
  const cancelled: string[] = [];
  const live = createManageLive({
    watch: {
      look: async () => viewOf(),
      subscribe: (watcher) => {
        watchers.add(watcher);
        return () => void watchers.delete(watcher);
      },
    },
    store: {
      accountsOf: async () => ["acme", OTHER],
      cancel: async (id) => {
        cancelled.push(id);
        return "asked";
      },
      cancelled: async () => wishes[Math.min(reads++, wishes.length - 1)] as Wish,
      names: async (ids) => new Map(ids.map((id) => [id, `name of ${id}`])),
      prefixes: async (ids) => new Map(ids.map((id) => [id, `prefix of ${id}`])),
    },
    findKey: () => Promise.reject(new Error("not asked for")),
    findAccount: () => Promise.reject(new Error("not asked for")),
    events: { requestCancelled: () => undefined },
    clock: { elapsedMs: () => (elapsedMs += 400) },
  });
  /** News of one watcher, one view after the other. */
  async function read(by: By, views: LiveView[], which: { errors?: boolean } = {}) {
    const iterator = (await live.watch({ limit: 10, ...which }, by))[Symbol.asyncIterator]();
    const news = [];
    for (const view of views) {
      const next = iterator.next();
      for (const { seen } of watchers) seen(view);
      const { value, done } = await next;
      if (done !== true) news.push(value);
    }
    await iterator.return?.();
    return news;
  }
  return { live, read, cancelled, watching: () => watchers.size };
}

test("a lead sees and is told of their own subtree alone, and how many others there are nobody tells them", async () => {
  const { live, read } = stage();
  const whole = await live.list({ limit: 10 }, OPERATOR);
  const own = await live.list({ limit: 10 }, LEAD);
  const [news] = await read(LEAD, [viewOf([end(5, OTHER), end(6, TEAM)])]);

  expect([whole.data.length, whole.more]).toEqual([2, 7]);
  expect([own.data.map(({ keyId }) => keyId), own.more]).toEqual([[`key-of-${TEAM}`], 0]);
  expect(own.data[0]?.accountPath).toEqual(["name of acme", `name of ${TEAM}`]);
  expect(news?.ended.map(({ keyPrefix }) => keyPrefix)).toEqual([`prefix of key-of-${TEAM}`]);
  expect(news?.list.data.length).toBe(1);
});

test("a lead cannot cancel what is outside of their subtree, and is told that it is not in flight", async () => {
  const { live, cancelled } = stage();

  await expect(live.cancel(ID, LEAD)).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("not in flight") as string,
  });
  expect(cancelled).toEqual([]);
  await expect(live.cancel(ID, OPERATOR)).resolves.toMatchObject({ result: "cancelled" });
});

test("a request whose charge is known before its process has answered is cancelled, not ending", async () => {
  const late = stage([
    { state: "asked", inFlight: true },
    { state: "asked", inFlight: false },
    { state: "asked", inFlight: false },
    { state: "cancelled", inFlight: false },
  ]);

  await expect(late.live.cancel(ID, OPERATOR)).resolves.toMatchObject({ result: "cancelled" });
});

test("a request that ended before its process looked is ending, and one whose process is silent is unconfirmed", async () => {
  const [ended, silent] = [stage([{ state: "asked", inFlight: false }]), stage([{ state: "asked", inFlight: true }])];

  await expect(ended.live.cancel(ID, OPERATOR)).rejects.toThrow("ending by itself");
  await expect(silent.live.cancel(ID, OPERATOR)).rejects.toMatchObject({ code: "service_unavailable" });
});

test("each end is told once, and what was missed is counted from the first that was read", async () => {
  const { read } = stage();
  const news = await read(OPERATOR, [
    viewOf([end(41, TEAM)]),
    viewOf([end(41, TEAM), end(42, TEAM, 500)]),
    viewOf([]),
    viewOf([end(46, OTHER)]),
  ]);
  const [errors] = await read(OPERATOR, [viewOf([end(1, TEAM), end(2, TEAM, 429)])], { errors: true });

  expect(news.map(({ ended }) => ended.map(({ atMs }) => atMs))).toEqual([[41], [42], [], [46]]);
  expect(news.map(({ missed }) => missed)).toEqual([0, 0, 0, 3]);
  expect(errors?.ended.map(({ status }) => status)).toEqual([429]);
});

test("what ended before a watcher read its first end is not counted as missed", async () => {
  const { read } = stage();
  const news = await read(OPERATOR, [viewOf([]), viewOf([end(40, TEAM)]), viewOf([end(40, TEAM), end(43, TEAM)])]);

  expect(news.map(({ missed }) => missed)).toEqual([0, 0, 2]);
});

test("five places are the most that one person takes, and each that is left can be taken again", async () => {
  const { live } = stage();
  const watch = (personId: string) => live.watch({ limit: 0 }, { ...OPERATOR, personId });
  const feeds = [];
  for (let no = 0; no < 5; no++) feeds.push(await watch("ann"));
  await expect(watch("ann")).rejects.toThrow("You watch 5 times, the limit for one person.");
  await expect(watch("bob")).resolves.toBeDefined();
  await feeds[0]?.[Symbol.asyncIterator]().return?.();

  await expect(watch("ann")).resolves.toBeDefined();
  await expect(watch("ann")).rejects.toMatchObject({ code: "service_unavailable" });
});

test("twenty watch, the next is refused, and who leaves without reading gives the place back", async () => {
  const { live } = stage();
  const feeds = [];
  for (let no = 0; no < 20; no++) feeds.push(await live.watch({ limit: 0 }, OPERATOR));
  await expect(live.watch({ limit: 0 }, OPERATOR)).rejects.toMatchObject({ code: "service_unavailable" });
  for (const feed of feeds) await feed[Symbol.asyncIterator]().return?.();

  await expect(live.watch({ limit: 0 }, OPERATOR)).resolves.toBeDefined();
});
