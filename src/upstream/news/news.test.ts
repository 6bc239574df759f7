import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readNews } from "./read-news.ts";
import type { RouteNews } from "./route-news.ts";
import { createTellNews } from "./tell-news.ts";

const PAUSED: RouteNews = {
  routeId: "r1",
  says: "paused",
  reason: "server_error",
  restsMs: 10_000,
  payers: "many",
};
const message = (...news: unknown[]): string => JSON.stringify({ v: 1, from: "p1", news });

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

function teller(answer: () => Promise<unknown> = () => Promise.resolve()) {
  const sent: string[] = [];
  const results: string[] = [];
  const { tell, close } = createTellNews({
    from: "p1",
    send: (payload) => {
      sent.push(payload);
      return answer();
    },
    elapsedMs: () => performance.now(),
    onSent: (result) => results.push(result),
  });
  return { sent, results, tell, close, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

test("what one process tells is what another reads, with the name of who said it", async () => {
  const { sent, tell, pass } = teller();
  const all: RouteNews[] = [
    PAUSED,
    { routeId: "r2", says: "trying" },
    { routeId: "r3", says: "answered" },
    { routeId: "r3", says: "limited", restsMs: 20_000 },
  ];
  for (const news of all) tell(news);
  await pass(0);

  expect(sent).toHaveLength(1);
  expect(readNews(sent[0] ?? "")).toEqual(all.map((news) => ({ ...news, from: "p1" })));
});

test.each([
  ["nothing", ""],
  ["no JSON", "paused"],
  ["another version", JSON.stringify({ v: 2, from: "p1", news: [] })],
  ["a member more", JSON.stringify({ v: 1, from: "p1", news: [], close: true })],
  ["no sender", JSON.stringify({ v: 1, news: [PAUSED] })],
  ["a sender of other characters", JSON.stringify({ v: 1, from: "<b>", news: [PAUSED] })],
  ["something unknown", message({ routeId: "r1", says: "closed" })],
  ["an inherited name", message({ routeId: "r1", says: "toString" })],
  ["a pause without end", message({ ...PAUSED, restsMs: 1e12 })],
  ["a pause that ended", message({ ...PAUSED, restsMs: -1 })],
  ["a reason in words", message({ ...PAUSED, reason: "see http://evil.example" })],
  ["a member of another kind", message({ routeId: "r1", says: "trying", restsMs: 1 })],
  ["one wrong among right ones", message(PAUSED, { ...PAUSED, payers: "all" })],
  ["too many", message(...Array.from({ length: 65 }, () => ({ routeId: "r", says: "trying" })))],
  ["too much", `${message(PAUSED)}${" ".repeat(8_000)}`],
])("of a message with %s nothing is believed", (_, payload) => {
  expect(readNews(payload)).toBeNull();
});

test("however much there is to tell, a process sends four messages a second, each with the newest of every route and below 8 kB", async () => {
  const { sent, tell, pass } = teller();
  for (let step = 0; step < 1_000; step++) {
    for (let route = 0; route < 300; route++)
      tell(step % 2 === 0 ? { routeId: `route-${route}`, says: "trying" } : { ...PAUSED, routeId: `route-${route}` });
    await pass(10);
  }

  expect(sent.length).toBeGreaterThan(30);
  expect(sent.length).toBeLessThanOrEqual(41);
  for (const payload of sent) {
    expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    const routes = (readNews(payload) ?? []).map(({ routeId }) => routeId);
    expect(new Set(routes).size).toBe(routes.length);
    expect(routes.length).toBeGreaterThan(0);
  }
});

test("what the database took no longer than two seconds ago is told, and older news never", async () => {
  const stuck = Promise.withResolvers<unknown>();
  const answers = [stuck.promise];
  const { sent, results, tell, pass } = teller(() => answers.shift() ?? Promise.resolve());
  tell(PAUSED);
  await pass(0);
  tell({ ...PAUSED, routeId: "old" });
  await pass(2_500);
  tell({ ...PAUSED, routeId: "fresh" });
  stuck.reject(new Error("away"));
  await pass(1_000);

  expect(sent.map((payload) => readNews(payload)?.map(({ routeId }) => routeId))).toEqual([["r1"], ["fresh"]]);
  expect(results).toEqual(["failed", "sent"]);
});

test("after its end a process tells nothing, and leaves no timer", async () => {
  const { sent, tell, close, pass } = teller();
  tell(PAUSED);
  close();
  tell({ ...PAUSED, routeId: "r2" });
  await pass(10_000);

  expect(sent).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
