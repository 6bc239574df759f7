import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { emptyDatabase } from "../../tests/support/admin-app.ts";
import type { Database } from "../db/database.ts";
import { createPriceCheckStore, type PriceCheckStore } from "./price-check-store.ts";

const HOUR = 3_600_000;
const WAIT = { everyMs: 24 * HOUR, retryMs: HOUR, leastMs: HOUR / 12 };
const LIST = { list: "litellm", terms: "a" };
const NOTHING = { models: 0, differences: [], unlisted: [] };
const TWO = {
  models: 1,
  differences: [{ provider: "p", vendor: "p", markup: "1", models: [{ id: "m", fields: [] }] }],
  unlisted: [],
};

let database: Database;
let store: PriceCheckStore;
beforeAll(async () => {
  database = await emptyDatabase();
  store = createPriceCheckStore(database);
  await database.query("insert into model (id, owned_by, provider, max_output_tokens) values ('m', 'p', 'p', 9)");
});
afterAll(() => database.close());
beforeEach(() => store.forget());

const ago = (ms: number) =>
  database.query(
    `update price_check set taken_at = taken_at - $1::bigint * interval '1 millisecond',
       ended_at = ended_at - $1::bigint * interval '1 millisecond'`,
    [ms],
  );
const taken = async (order = LIST): Promise<string> => {
  const word = await store.take(order, WAIT);
  if (word === null) throw new Error("it is not due");
  return word;
};

test("of twenty that look at once one checks", async () => {
  const words = await Promise.all(Array.from({ length: 20 }, () => store.take(LIST, WAIT)));

  expect(words.filter((word) => word !== null)).toHaveLength(1);
});

test("the next check comes after its time, sooner after a failure, and none sooner than the least", async () => {
  await store.end(await taken(), { found: NOTHING });
  expect(await store.take(LIST, WAIT)).toBeNull();
  await ago(24 * HOUR - 1_000);
  expect(await store.take(LIST, WAIT)).toBeNull();
  await ago(2_000);
  await store.end(await taken(), { problem: "it answered 404" });
  await ago(HOUR - 1_000);
  expect(await store.take(LIST, WAIT)).toBeNull();
  await ago(2_000);
  await taken();
  // Nobody ends this one.
  await ago(WAIT.leastMs - 1_000);
  expect(await store.take(LIST, WAIT)).toBeNull();
  await ago(2_000);
  await taken();
});

test("two processes with different settings do not make more checks than the least time allows", async () => {
  await store.end(await taken(), { found: TWO });
  expect(await store.take({ ...LIST, terms: "b" }, WAIT)).toBeNull();
  await ago(WAIT.leastMs + 1);
  const other = await taken({ ...LIST, terms: "b" });
  // What was found of other terms is not shown for these.
  expect(await store.read()).toMatchObject({ found: null, problem: null });
  expect(await store.end(other, { found: TWO })).toBe("changed");
});

test("a changed price makes the next check due, and what was found is stale until then", async () => {
  await store.end(await taken(), { found: TWO });
  await ago(WAIT.leastMs + 1);
  expect((await store.read())?.found?.isStale).toBe(false);
  expect(await store.take(LIST, WAIT)).toBeNull();
  await database.query(
    "insert into price (model_id, version, effective_from, input_nano, output_nano) values ('m', 1, now(), 1, 1)",
  );
  expect((await store.read())?.found?.isStale).toBe(true);
  const word = await taken();
  await store.end(word, { found: NOTHING });
  expect((await store.read())?.found).toMatchObject({ isStale: false, models: 0 });
});

test("a difference is told once, a failure leaves what was found, and one that lost its turn writes nothing", async () => {
  const first = await taken();
  expect(await store.end(first, { found: TWO })).toBe("changed");
  const { found } = (await store.read()) ?? {};
  await ago(25 * HOUR);
  expect(await store.end(await taken(), { found: TWO })).toBe("same");
  expect((await store.read())?.found).toMatchObject({ sinceMs: found?.sinceMs, models: 1 });
  await ago(25 * HOUR);
  const failing = await taken();
  expect(await store.end(failing, { problem: "no answer" })).toBe("same");
  expect(await store.read()).toMatchObject({ problem: "no answer", found: { models: 1, sinceMs: found?.sinceMs } });
  await ago(2 * HOUR);
  const late = await taken();
  await ago(2 * HOUR);
  await taken();
  expect(await store.end(late, { found: NOTHING })).toBe("lost");
  expect(await store.read()).toMatchObject({ problem: "no answer", found: { models: 1 } });
});
