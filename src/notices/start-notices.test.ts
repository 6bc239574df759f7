import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createId } from "../core/ids.ts";
import { freshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../../tests/support/lone-key.ts";
import { systemClock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import { createLedgerStore } from "../ledger/turn/ledger-store.ts";
import type { Notice } from "./notice.ts";
import { createNoticeStore } from "./notices-store.ts";
import { createSendWebhook } from "./send-webhook.ts";
import { type Notices, startNotices } from "./start-notices.ts";
import { verified } from "../../tests/support/verify-webhook.ts";

const reason = whyUnavailable("15");
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
/** Far more than a receiver needs on a busy machine; where one must be too slow, little more than it needs. */
const [TIMEOUT_MS, SHORT_TIMEOUT_MS] = [20_000, 2_000];

type Received = { headers: IncomingHttpHeaders; body: string; path: string };
/** What the receiver does with the next requests; when the list is empty it accepts. */
type Mood = "hang" | "fail" | "redirect" | "huge" | "drip" | "gone";

const DEAD = { state: "dead", cause: null, accountId: null, keyId: null } as const;
let database: Database;
let close = async (): Promise<void> => undefined;
let receiver: Server;
let received: Received[];
let moods: Mood[];
let accepted: string[];
let running: Notices[];
let events: string[];
let logged: Notice[];

beforeAll(async () => {
  if (reason !== null) return;
  const fresh = await freshDatabase();
  const settings = { poolSize: 6, connectTimeoutMs: 10_000, statementTimeoutMs: 10_000, onError: () => undefined };
  database = createPostgres({ url: fresh.url, ...settings });
  // The clock of the ledger, with a hand that tests move.
  await database.query("create table moved (by interval not null)");
  await database.query("insert into moved values ('0')");
  await database.query(
    "create or replace function ledger_now() returns timestamptz language sql volatile as 'select clock_timestamp() + by from moved'",
  );
  close = async () => {
    await database.close();
    await fresh.close();
  };
});
afterAll(() => close());

beforeEach(async () => {
  [received, moods, accepted, running, events, logged] = [[], [], [], [], [], []];
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), path: request.url ?? "" });
      const mood = moods.shift();
      if (mood === "hang") return;
      if (mood === "fail") response.writeHead(500).end("secret of the receiver");
      else if (mood === "gone") response.writeHead(410).end();
      else if (mood === "redirect") response.writeHead(302, { location: "/elsewhere" }).end();
      else if (mood === "drip") response.writeHead(500).write("x");
      else if (mood === "huge") response.writeHead(500).end(Buffer.alloc(20_000_000, "x"));
      else {
        accepted.push(String(request.headers["webhook-id"]));
        response.writeHead(204).end();
      }
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => receiver.once("listening", resolve));
  if (reason === null) await clean();
});
afterEach(async () => {
  await Promise.all(running.map((notices) => notices.stop()));
  receiver.closeAllConnections();
  receiver.close();
});

/** Nothing to send, nowhere to send it, and the clock as it is. */
async function clean(): Promise<void> {
  await database.query("delete from delivery");
  await database.query("delete from endpoint");
  await database.query("update moved set by = '0'");
}

async function start(timeoutMs = TIMEOUT_MS, store = createNoticeStore(database)): Promise<Notices> {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const notices = startNotices({
    store,
    webhooks: [{ name: "ops", url, secrets: [SECRET, OLD_SECRET] }],
    send: createSendWebhook({ fetch, clock: systemClock, timeoutMs }),
    timeoutMs,
    clock: systemClock,
    random: () => 0.5,
    everyMs: 20,
    onNotice: (notice) => logged.push(notice),
    onAttempt: (endpoint, result, { status, problem }) =>
      events.push([endpoint, result, status, problem].filter((part) => part !== null).join(" ")),
    onCounted: () => undefined,
    onDone: () => undefined,
    onFailed: (error) => events.push(`failed: ${String(error)}`),
  });
  running.push(notices);
  await notices.prepared;
  return notices;
}

/** Uses some of a budget of 100 tokens, which is watched at 80 and 100 %. */
async function spend(key: LoneKey, amount: bigint): Promise<void> {
  const ledger = createLedgerStore(database);
  const ask = askOf(key, { least: amount, most: amount });
  await ledger.admit(createId(Date.now()), [ask]);
  await ledger.settle([endOf(ask, { price: amount })]);
}

const budget = (): Promise<LoneKey> => loneKey(database, { mode: "token_budget", funds: 100n });
const move = (by: string): Promise<unknown> => database.query("update moved set by = by + $1::interval", [by]);
const states = async (): Promise<string[]> => {
  const rows = await database.query<{ text: string }>(
    "select state || ' ' || attempts || coalesce(' ' || status, '') || coalesce(' ' || problem, '') as text from delivery where endpoint = 'ops' order by no",
  );
  return rows.map(({ text }) => text);
};
/** How often each notice was tried whose next attempt is to come. */
const waiting = async (): Promise<number[]> => {
  const rows = await database.query<{ attempts: number }>(
    "select attempts from delivery where endpoint = 'ops' and state = 'waiting' and not sending order by no",
  );
  return rows.map(({ attempts }) => attempts);
};

describe.skipIf(reason !== null)("notices", () => {
  test("a threshold reaches the log and the webhook once, signed with every secret, with figures and no secret in it", async () => {
    await start();
    const key = await budget();

    await spend(key, 80n);
    await expect.poll(states).toEqual(["delivered 1 204"]);

    const [{ headers, body } = { headers: {}, body: "" }] = received;
    expect(await verified(body, headers, SECRET)).toMatchObject({
      type: "threshold.reached",
      data: {
        message: expect.stringContaining("has used 80% of its limit: 80 of 100 tokens this month. It renews on 1"),
        cause: "used",
        threshold: { percent: 80 },
        key: { id: key.keyId },
        unit: "tokens",
        amount: "100",
        used: "80",
        available: "20",
      },
    });
    expect(await verified(body, headers, OLD_SECRET)).toBeTruthy();
    await expect(verified(`${body} `, headers, SECRET)).rejects.toThrow();
    expect(body).not.toContain("whsec_");
    expect(logged.map(({ threshold }) => threshold)).toEqual([80n]);
  });

  test("a receiver that fails, hangs, redirects, sends too much and then works accepts the same id once", async () => {
    moods = ["fail", "hang", "redirect", "huge", "drip"];
    await start(SHORT_TIMEOUT_MS);
    await spend(await budget(), 80n);

    for (const attempts of [1, 2, 3, 4, 5]) {
      await expect.poll(() => events.length).toBe(attempts);
      // Told before it is written down; a clock that moves in between would put the next attempt off.
      await expect.poll(waiting).toEqual([attempts]);
      await move("1 hour");
    }
    await expect.poll(states).toEqual(["delivered 6 204"]);

    expect(events).toEqual([
      "ops failed 500 status",
      "ops failed timeout",
      "ops failed 302 redirect",
      "ops failed 500 status",
      "ops failed 500 status",
      "ops delivered 204",
    ]);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(received.map(({ path }) => path)).not.toContain("/elsewhere");
    expect(accepted).toHaveLength(1);
    expect(logged).toHaveLength(1);
  });

  test("after a day it is a dead letter, which an operator can send again", async () => {
    moods = Array.from({ length: 40 }, () => "fail");
    await start();
    await spend(await budget(), 80n);

    for (let hours = 0; hours < 26 && !(await states())[0]?.startsWith("dead"); hours += 1) {
      const seen = received.length;
      await move("1 hour");
      if (hours < 3) await expect.poll(() => received.length).toBeGreaterThan(seen);
      else await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await states()).toEqual([expect.stringMatching(/^dead \d+ 500 status$/)]);
    expect(events.at(-1)).toBe("ops dead 500 status");

    moods = [];
    const store = createNoticeStore(database);
    expect(
      (await store.list({ ...DEAD, limit: 10, before: null, within: null })).map(({ deliveries }) => deliveries),
    ).toMatchObject([[{ endpoint: "log" }, { endpoint: "ops", state: "dead", status: 500 }]]);
    expect(await store.retry(null)).toBe(1);
    await expect.poll(states).toEqual(["delivered 1 204"]);
    expect(await store.list({ ...DEAD, limit: 10, before: null, within: null })).toEqual([]);
  });

  test("a receiver that is gone for good gets no more", async () => {
    moods = ["gone"];
    await start();

    await spend(await budget(), 80n);

    await expect.poll(states).toEqual(["dead 1 410 gone"]);
  });

  test("a process that dies in the middle of sending leaves it to another, under the same id", async () => {
    moods = ["hang"];
    const dying = await start();
    await spend(await budget(), 80n);
    await expect.poll(() => received.length).toBe(1);
    await dying.stop();
    expect(await states()).toEqual(["waiting 1 stopped"]);

    // As if it had died without a word: the attempt is under way until its lease is over.
    await database.query(
      "update delivery set sending = true, next_at = ledger_now() + interval '30 seconds' where endpoint = 'ops'",
    );
    await Promise.all([start(), start(), start()]);
    expect(received).toHaveLength(1);
    await move("31 seconds");
    await expect.poll(states).toEqual(["delivered 2 204"]);
    expect(received).toHaveLength(2);
    expect(accepted).toEqual([received[0]?.headers["webhook-id"]]);
  });

  test("a process that is stopped while it looks for notices does not take again what it gives back", async () => {
    moods = ["hang"];
    const store = createNoticeStore(database);
    const given = Promise.withResolvers<void>();
    const looking = Promise.withResolvers<void>();
    const stopped = await start(TIMEOUT_MS, {
      ...store,
      take: async (...words) => {
        // The look that is under way ends after the attempt was given back, or is all that the stop waits for.
        if (received.length === 1) {
          looking.resolve();
          await Promise.race([given.promise, sleep(500)]);
        }
        return store.take(...words);
      },
      ended: async (attempt, end) => {
        await store.ended(attempt, end);
        if (attempt.endpoint === "ops") given.resolve();
      },
    });
    await spend(await budget(), 80n);
    await looking.promise;
    await stopped.stop();

    expect(await states()).toEqual(["waiting 1 stopped"]);
  });

  test("notices of one counter keep their order, and another counter does not wait for them", async () => {
    moods = ["fail"];
    await start();
    const [first, second] = [await budget(), await budget()];

    await spend(first, 100n);
    await expect.poll(() => events.length).toBe(1);
    await spend(second, 80n);
    await expect.poll(states).toEqual(["waiting 1 500 status", "waiting 0", "delivered 1 204"]);
    await move("6 seconds");
    await expect.poll(states).toEqual(["delivered 2 204", "delivered 1 204", "delivered 1 204"]);

    const percents = received
      .map(({ body }) => JSON.parse(body) as { data: { key: { id: string }; threshold: { percent: number } } })
      .filter(({ data }) => data.key.id === first.keyId)
      .map(({ data }) => data.threshold.percent);
    expect(percents).toEqual([80, 80, 100]);
  });

  test("four processes send 100 notices at once and nobody gets one twice", async () => {
    await Promise.all([start(), start(), start(), start()]);
    const keys = await Promise.all(Array.from({ length: 50 }, budget));

    for (const key of keys) await spend(key, 100n);
    await expect.poll(async () => (await states()).filter((state) => state === "delivered 1 204").length).toBe(100);

    expect(accepted).toHaveLength(100);
    expect(new Set(accepted).size).toBe(100);
    expect(logged).toHaveLength(100);
  });

  test("an endpoint that no process has had for a day is forgotten, with what waits for it", async () => {
    const running = await start();
    await running.stop();
    await spend(await budget(), 80n);
    expect(await states()).toEqual(["waiting 0"]);

    await move("25 hours");
    await createNoticeStore(database).take(["log"], { each: 4, leaseMs: 1_000 });

    expect(await states()).toEqual([]);
    await move("-25 hours");
    await spend(await budget(), 80n);
    expect(await states()).toEqual([]);
  });
});
