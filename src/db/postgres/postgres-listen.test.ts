import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, beforeAll, afterAll, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../../tests/support/postgres.ts";
import { until } from "../../../tests/support/until.ts";
import type { Database } from "../database.ts";
import { createPostgres, type PostgresOptions } from "./postgres.ts";

const reason = whyUnavailable("15");
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Passes bytes on; once hushed, the connections open by then carry nothing more and do not end, as when a cable is pulled. */
async function startHush(target: { port: number }) {
  const open = new Set<{ client: Socket; upstream: Socket }>();
  let connections = 0;
  const server = createServer((client) => {
    connections++;
    const pair = { client, upstream: connect(target.port, "127.0.0.1") };
    open.add(pair);
    for (const [from, to] of [
      [pair.client, pair.upstream],
      [pair.upstream, pair.client],
    ] as const) {
      from.on("data", (bytes) => void to.write(bytes));
      from.on("error", () => undefined);
      from.on("close", () => (to.destroy(), open.delete(pair)));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const end = (): void => {
    for (const { client, upstream } of open) for (const socket of [client, upstream]) socket.destroy();
    server.close();
  };
  closing.push(end);
  return {
    port,
    end,
    begin: () => server.listen(port, "127.0.0.1"),
    connections: () => connections,
    hush: () => {
      for (const { client, upstream } of open)
        for (const socket of [client, upstream]) socket.removeAllListeners("data");
    },
  };
}

describe.skipIf(reason !== null)(`hearing notifications${reason === null ? "" : `: skipped, ${reason}`}`, () => {
  let fresh: FreshDatabase;
  let other: FreshDatabase;
  beforeAll(async () => {
    [fresh, other] = await Promise.all([freshDatabase({ migrated: false }), freshDatabase({ migrated: false })]);
  });
  afterAll(async () => {
    await fresh?.close();
    await other?.close();
  });

  function open(options: Partial<PostgresOptions>): Database {
    const database = createPostgres({
      url: fresh.url,
      poolSize: 2,
      connectTimeoutMs: 2_000,
      statementTimeoutMs: 2_000,
      onError: () => undefined,
      random: () => 0,
      listenCheck: { everyMs: 100, withinMs: 1_000 },
      ...options,
    });
    closing.push(() => database.close());
    return database;
  }

  async function listen(database: Database) {
    const told: string[] = [];
    await database.listen(["news"], {
      notified: (_channel, payload) => told.push(payload),
      refresh: () => told.push("refresh"),
      hears: (hears) => told.push(hears ? "hears" : "deaf"),
    });
    return told;
  }

  test("a listener that hears says so once, however often it is tried", async () => {
    const told = await listen(open({ listenCheck: { everyMs: 1, withinMs: 5_000 } }));
    const operator = open({});
    await operator.query("select pg_notify('news', 'first')");
    await until(() => told.includes("first"), "the notification arrives");

    expect(told).toEqual(["refresh", "hears", "first"]);
  });

  test("a connection that goes silent without ending is found out and made again, and nothing is missed", async () => {
    const hush = await startHush({ port: Number(new URL(fresh.url).port) });
    const past = new URL(fresh.url);
    past.port = String(hush.port);
    const told = await listen(open({ directUrl: past.href, listenCheck: { everyMs: 100, withinMs: 1_000 } }));
    expect(told).toEqual(["refresh", "hears"]);

    hush.hush();
    await until(() => told.length === 5, "it hears again");
    await open({}).query("select pg_notify('news', 'after')");
    await until(() => told.includes("after"), "the notification arrives");

    expect(told).toEqual(["refresh", "hears", "deaf", "refresh", "hears", "after"]);
    expect(hush.connections()).toBe(2);
  });

  test("a listening connection that cannot be made again, while requests get through, is told", async () => {
    const hush = await startHush({ port: Number(new URL(fresh.url).port) });
    const past = new URL(fresh.url);
    past.port = String(hush.port);
    const told = await listen(open({ directUrl: past.href, listenCheck: { everyMs: 50, withinMs: 1_000 } }));

    hush.end();
    await until(() => told.at(-1) === "deaf", "it is found out");
    hush.begin();
    await until(() => told.at(-1) === "hears", "it hears again");
    expect(told).toEqual(["refresh", "hears", "deaf", "refresh", "hears"]);
  });

  test("a listener on another database than requests use is found out, and is not made again and again", async () => {
    const told = await listen(open({ directUrl: other.url, listenCheck: { everyMs: 10, withinMs: 30 } }));
    expect(told).toEqual(["refresh", "deaf"]);

    await open({ url: other.url }).query("select pg_notify('news', 'still there')");
    await until(() => told.includes("still there"), "the session is the same");
    expect(told).toEqual(["refresh", "deaf", "still there"]);
  });

  test("a check that could not be sent says nothing about hearing", async () => {
    const told = await listen(open({ url: "postgres://nobody@127.0.0.1:1/none", directUrl: fresh.url }));

    expect(told).toEqual(["refresh"]);
  });

  test("a forged check proves nothing", async () => {
    const forger = open({ url: other.url });
    const told = await listen(open({ directUrl: other.url, listenCheck: { everyMs: 10, withinMs: 100 } }));
    for (const payload of ["", "heard", "0".repeat(32)])
      await forger.query("select pg_notify('tollgate_check', $1)", [payload]);

    expect(told).toEqual(["refresh", "deaf"]);
  });
});
