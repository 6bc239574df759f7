import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cpuMicrosOf, residentBytesOf } from "../bench/process-usage.ts";
import { type LiveStage, send, startLiveStage } from "../support/live-stage.ts";
import { whyUnavailable } from "../support/postgres.ts";
import type { ServeProcess } from "../support/serve-process.ts";
import { readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

/** PostgreSQL takes no more in one notification. */
const LONGEST = 7_999;
/** As many as a process serves. */
const WATCHERS = 20;

describe.skipIf(whyUnavailable("15"))("requests in flight, with hostile watchers and roles", () => {
  let stage: LiveStage;
  let gateway: ServeProcess;
  beforeAll(async () => {
    stage = await startLiveStage(1);
    [gateway] = stage.gateways as [ServeProcess];
    await stage.sql("create role nobody_of_live login");
  });
  afterAll(async () => {
    await stage?.sql("drop role nobody_of_live");
    await stage?.close();
  });

  async function asNobody<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const url = new URL(stage.database.url);
    url.username = "nobody_of_live";
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  test("a role without privileges can neither cancel a request nor stop the list, whatever it notifies", async () => {
    const key = await stage.makeKey();
    const stream = await send({ gateway, key, format: "chat" });
    const reading = readAll(stream);
    const request = String(stream.headers["x-request-id"]);
    const uuid = request.slice(4);
    const payloads = ["cancel", "watch", "", "{", "null", request, uuid, `{"cancel":"${uuid}"}`, "\u2028\u0007"];

    const refused = await asNobody(async (client) => {
      for (const payload of [...payloads, "x".repeat(LONGEST)])
        await client.query("select pg_notify('tollgate_live', $1)", [payload]);
      await client.query("select pg_notify('tollgate_live', n || repeat('y', 7000)) from generate_series(1, 1000) n");
      await client.query("select pg_notify('tollgate_live', n::text) from generate_series(1, 20000) n");
      const attempts = [
        `select live_cancel_v1('${uuid}')`,
        "select live_watched_v1(5000)",
        `insert into live_cancel values ('${uuid}', now(), 'asked')`,
        "select in_flight from live_process",
      ];
      const codes = [];
      for (const attempt of attempts)
        codes.push(await client.query(attempt).then(String, (error: { code: string }) => error.code));
      return codes;
    });
    const row = await stage.shown(gateway, key);
    const grown = await stage.shown(
      gateway,
      key,
      ({ output_tokens: tokens }) => (tokens ?? 0) > (row.output_tokens ?? 0),
    );
    const { status } = await stage.cancel(gateway, request);
    const { text, broken } = await reading;

    expect(refused).toEqual(["42501", "42501", "42501", "42501"]);
    expect(grown.request_id).toBe(request);
    expect({ status, broken, alive: gateway.alive() }).toEqual({ status: 200, broken: false, alive: true });
    expect(text).toContain("request_cancelled");
  });

  /** A process that is not there, with a row as large as rows get. */
  const plant = (requests: number): Promise<unknown> =>
    stage.sql(`
      with p as (insert into process (id, renewing_since, lease_until) values (gen_random_uuid(), now(), now() + interval '1 hour') returning id)
      insert into live_process (id, at, in_flight, more, finished)
      select p.id, now() + interval '1 hour', (select json_agg(json_build_object(
        'id', gen_random_uuid(), 'keyId', gen_random_uuid(), 'keyPrefix', 'tgc_planted', 'keyLabel', repeat('l', 200),
        'accounts', '[]'::json, 'dialect', 'chat', 'streamed', true, 'model', 'chat', 'provider', 'acme',
        'agent', repeat('a', 120), 'ageMs', 1, 'firstByteMs', 1, 'reserved', '{"credits":"1","tokens":null}'::json, 'soFar', null))
        from generate_series(1, ${requests})), 0, '[]' from p`);

  const uproot = async (): Promise<void> => {
    await stage.sql("delete from live_process where at > now() + interval '1 minute'");
    await stage.sql("delete from process where lease_until > now() + interval '30 minutes'");
  };

  const events = (signal: AbortSignal): Promise<Response> =>
    fetch(`${gateway.adminUrl}/admin/v1/live/events`, {
      headers: { authorization: `Bearer ${stage.adminToken}` },
      signal,
    });

  test("watchers that read nothing are cut, what waits for them is bounded, and streams go on", async () => {
    await plant(1_000);
    const key = await stage.makeKey();
    const reading = readAll(await send({ gateway, key, format: "chat", fields: { model: "long" } }));
    const before = residentBytesOf(gateway.pid);
    const { hostname, port } = new URL(gateway.adminUrl);
    const head = `GET /admin/v1/live/events?limit=1000 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${stage.adminToken}\r\n\r\n`;
    const sockets: Socket[] = [];
    /** One that reads until it has the head of its answer, and nothing after that. */
    const watch = async (): Promise<string> => {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.write(head);
      const [bytes] = (await once(socket, "data")) as [Buffer];
      socket.pause();
      return bytes.toString("latin1").slice(0, "HTTP/1.1 200".length);
    };
    const watchAll = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, watch));
    const status = async (): Promise<number> => {
      const stop = new AbortController();
      const { status } = await events(stop.signal);
      stop.abort();
      return status;
    };
    const first = await watchAll(WATCHERS);
    // On a busy machine, the first is cut before the last has come.
    await until(async () => (await watchAll(4)).includes("HTTP/1.1 503"), "there is no room", 90_000);
    await until(async () => (await status()) === 200, "there is room again", 90_000);
    const grownBytes = residentBytesOf(gateway.pid) - before;
    for (const socket of sockets) socket.destroy();
    await uproot();
    const { request_id: request } = await stage.shown(gateway, key);
    await stage.cancel(gateway, request);

    expect(new Set(first)).toEqual(new Set(["HTTP/1.1 200"]));
    expect(grownBytes).toBeLessThan(250 * 1024 * 1024);
    expect(await reading).toMatchObject({
      broken: false,
      text: expect.stringContaining("request_cancelled") as string,
    });
  });

  test("four watchers of 1,000 requests take half a processor at most, and none is taken once they leave", async () => {
    await plant(1_000);
    const stop = new AbortController();
    const feeds = await Promise.all(Array.from({ length: 4 }, () => events(stop.signal)));
    const read = async ({ body }: Response): Promise<void> => {
      for await (const _ of body ?? []);
    };
    // A watcher that the gateway gives up on a busy machine ends early.
    const reading = Promise.allSettled(feeds.map(read));
    const share = async (ms: number): Promise<number> => {
      const [cpuMicros, atMs] = [cpuMicrosOf(gateway.pid), performance.now()];
      await sleep(ms);
      return (cpuMicrosOf(gateway.pid) - cpuMicros) / 1_000 / (performance.now() - atMs);
    };
    await share(2_000);
    const watched = await share(5_000);
    stop.abort();
    await reading;
    await uproot();
    await until(async () => !(await stage.isWatched()), "nobody watches");

    expect(watched).toBeLessThan(0.5);
    await until(async () => (await share(2_000)) < 0.1, "the process rests", 60_000);
  });

  test("short streams that are cancelled at any moment are whole and charged, or told so and charged as delivered", async () => {
    const ends = [];
    for (let no = 0; no < 24; no += 6)
      ends.push(...(await Promise.all([0, 1, 2, 3, 4, 5].map((of) => cancelAfter((no + of) * 3)))));
    const verified = await stage.tollgate("ledger", "verify", "--json");

    expect(new Set(ends.map(({ status }) => status === 200)), "both must be tried").toEqual(new Set([true, false]));
    for (const { status, text, kinds } of ends) {
      const isCancelled = status === 200;
      expect(text.includes("request_cancelled")).toBe(isCancelled);
      expect(text.includes("[DONE]")).toBe(!isCancelled);
      const told = text.includes("chat.completion.chunk") ? "client_gone" : "voided";
      expect(kinds).toEqual([isCancelled ? told : "completed"]);
    }
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true });
  });

  /** A short stream, cancelled once so many pieces of it have come; how the operator, the client and the ledger saw it. */
  async function cancelAfter(pieces: number): Promise<{ status: number; text: string; kinds: string[] }> {
    const key = await stage.makeKey();
    const response = await send({ gateway, key, format: "chat", fields: { model: "short" } });
    let seen = 0;
    const come = new Promise<void>((resolve) => {
      response.on("data", () => seen++ === pieces && resolve());
      response.on("end", resolve);
    });
    const reading = readAll(response);
    await come;
    const request = String(response.headers["x-request-id"]);
    const { status } = await stage.cancel(gateway, request);
    const { text } = await reading;
    const hold = `hold_id = '${request.slice(4)}'`;
    await until(async () => (await stage.sql(`select from charge where ${hold}`)).length > 0, "it is in the journal");
    const kinds = await stage.sql(`select name from charge join charge_kind on no = kind where ${hold}`);
    return { status, text, kinds: kinds.map(({ name }) => String(name)) };
  }
});
