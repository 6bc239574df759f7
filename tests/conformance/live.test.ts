import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorAtEnd, FORMATS, type LiveStage, send, startLiveStage } from "../support/live-stage.ts";
import { whyUnavailable } from "../support/postgres.ts";
import type { ServeProcess } from "../support/serve-process.ts";
import { readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

const CANCELLED = "The operator cancelled this request. Ask the operator before you send it again.";

describe.skipIf(whyUnavailable("15"))("requests in flight of two gateways on one database", () => {
  let stage: LiveStage;
  let one: ServeProcess;
  let other: ServeProcess;
  beforeAll(async () => {
    stage = await startLiveStage(2);
    [one, other] = stage.gateways as [ServeProcess, ServeProcess];
  });
  afterAll(() => stage?.close());

  test("streams of both are seen from either, with hold, growing tokens and the client", async () => {
    const [here, there] = [await stage.makeKey(), await stage.makeKey("token_budget")];
    const streams = [
      await send({ gateway: one, key: here, format: "chat" }),
      await send({ gateway: other, key: there, format: "messages" }),
    ];
    const reading = streams.map(readAll);

    const before = await stage.shown(one, there, ({ output_tokens: tokens }) => (tokens ?? 0) > 0);
    const grown = await stage.shown(
      other,
      there,
      ({ output_tokens: tokens }) => (tokens ?? 0) > (before.output_tokens ?? 0),
    );
    const seen = await stage.shown(other, here, ({ output_tokens: tokens }) => (tokens ?? 0) > 0);
    const { processes, silent, more } = await stage.live(one);

    expect({ processes, silent, more }).toEqual({ processes: 2, silent: 0, more: 0 });
    expect(seen).toMatchObject({
      model: "chat",
      provider: "acme",
      streamed: true,
      agent: "live-test/1.0 ??31m",
      account_path: [],
      reserved: { credits: expect.stringMatching(/^[1-9]|^0\.0*[1-9]/) as string, tokens: null },
      cost: { tokens: null },
    });
    expect(Number(grown.reserved.tokens)).toBeGreaterThan(Number(grown.cost?.tokens));
    expect(grown).toMatchObject({ reserved: { credits: null }, cost: { credits: null } });
    for (const { request_id: request } of [seen, grown]) expect((await stage.cancel(one, request)).status).toBe(200);
    for (const { text } of await Promise.all(reading)) expect(text).toContain(CANCELLED);
  });

  test.each(FORMATS)(
    "the other gateway cancels a stream of %s: it says so and is charged as delivered [ERR-40]",
    async (format) => {
      const key = await stage.makeKey();
      const stream = await send({ gateway: one, key, format });
      const reading = readAll(stream);
      const row = await stage.shown(other, key, ({ output_tokens: tokens }) => (tokens ?? 0) > 3);

      const cancelled = await stage.cancel(other, row.request_id);
      const { text, broken } = await reading;
      const charge = await stage.chargeOf(key);

      expect(cancelled).toEqual({ status: 200, body: { request_id: row.request_id, result: "cancelled" } });
      expect(broken).toBe(false);
      expect(errorAtEnd(format, text)).toMatchObject({ code: "request_cancelled", message: CANCELLED });
      expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
      expect(charge).toMatchObject({ kind: "client_gone" });
      expect(charge.output_tokens).toBeGreaterThan(3);
      expect(charge.output_tokens).toBeLessThan(3_000);
      expect(await stage.fundsOf(key)).toMatchObject({ reserved: "0" });
      await until(
        async () => (await stage.live(one)).data.every(({ request_id: id }) => id !== row.request_id),
        "it is not shown any more",
      );
    },
  );

  test("a plain request that is cancelled gets 403 and costs nothing [ERR-40]", async () => {
    const key = await stage.makeKey();
    const answer = send({ gateway: one, key, format: "chat", fields: { model: "slow", stream: false } });
    const row = await stage.shown(other, key);
    const { status } = await stage.cancel(other, row.request_id);
    const response = await answer;
    const { text } = await readAll(response);

    expect(row).toMatchObject({ streamed: false, output_tokens: null, cost: null, provider: "acme" });
    expect(status).toBe(200);
    expect(response.statusCode).toBe(403);
    expect(response.headers["x-should-retry"]).toBe("false");
    expect(JSON.parse(text)).toMatchObject({ error: { code: "request_cancelled", type: "permission_error" } });
    await until(async () => (await stage.fundsOf(key))["reserved"] === "0", "the hold is gone");
    expect(await stage.fundsOf(key)).toMatchObject({ balance: "1000" });
  });

  test("a stream that is cancelled before its first byte gets 403 and costs nothing [ERR-40]", async () => {
    const key = await stage.makeKey();
    const answer = send({ gateway: one, key, format: "chat", fields: { model: "slow" } });
    const row = await stage.shown(other, key);
    await stage.cancel(other, row.request_id);

    expect((await answer).statusCode).toBe(403);
    await until(async () => (await stage.fundsOf(key))["reserved"] === "0", "the hold is gone");
    expect(await stage.fundsOf(key)).toMatchObject({ balance: "1000" });
  });

  test("a request that finished or never was is not in flight, and cancelling twice cancels once", async () => {
    const key = await stage.makeKey();
    const done = await send({ gateway: one, key, format: "chat", fields: { model: "fast" } });
    await readAll(done);
    const finished = done.headers["x-request-id"] as string;
    const stream = await send({ gateway: one, key: await stage.makeKey(), format: "chat" });
    const reading = readAll(stream);
    const running = stream.headers["x-request-id"] as string;

    const twice = [await stage.cancel(one, running), await stage.cancel(other, running)];
    await reading;
    const refused = await Promise.all(
      [finished, `req_${"0".repeat(32)}`, "x"].map((request) => stage.cancel(one, request)),
    );

    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(refused[0]?.body.error?.message).toBe(`${finished} is not in flight: it has finished, or never started.`);
  });

  /** Events of a feed, as they come. */
  async function* feed(gateway: ServeProcess, query: string, signal: AbortSignal) {
    const response = await fetch(`${gateway.adminUrl}/admin/v1/live/events?${query}`, {
      headers: { authorization: `Bearer ${stage.adminToken}` },
      signal,
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    let text = "";
    for await (const bytes of response.body ?? []) {
      const pieces = (text + Buffer.from(bytes).toString()).split("\n\n");
      text = pieces.pop() ?? "";
      for (const piece of pieces) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(piece) ?? [];
        if (name !== undefined) yield { name, data: JSON.parse(data ?? "") as { data: Record<string, unknown>[] } };
      }
    }
  }

  test("a feed tells what is in flight and what ended anywhere, and only what is asked for", async () => {
    const [key, foreign] = [await stage.makeKey(), await stage.makeKey()];
    const stop = new AbortController();
    const stream = readAll(await send({ gateway: one, key, format: "chat" }));
    const fields = { model: "fast" };
    const names = new Set<string>();
    for await (const { name, data } of feed(other, `key=${key.prefix}`, stop.signal)) {
      names.add(name);
      for (const row of data.data) expect(row["key_prefix"]).toBe(key.prefix);
      if (name === "live" && data.data.length > 0 && names.size === 1) {
        await readAll(await send({ gateway: one, key: foreign, format: "chat", fields }));
        await readAll(await send({ gateway: one, key, format: "chat", fields: { model: "unknown" } }));
        await stage.cancel(other, String(data.data[0]?.["request_id"]));
      }
      if (name === "finished" && data.data.some(({ code }) => code === "model_not_found")) break;
    }
    stop.abort();
    const { text } = await stream;

    expect([...names].toSorted()).toEqual(["finished", "live"]);
    expect(text).toContain(CANCELLED);
  });

  test("a process has twenty watchers, and tells the next one so", async () => {
    const stop = new AbortController();
    const first = Array.from({ length: 20 }, () =>
      feed(one, "limit=0", stop.signal)
        .next()
        .catch(() => null),
    );
    await until(async () => {
      const response = await fetch(`${one.adminUrl}/admin/v1/live/events`, {
        headers: { authorization: `Bearer ${stage.adminToken}` },
        signal: stop.signal,
      });
      const isFull = response.status === 503;
      if (isFull) expect(await response.text()).toContain("This process has 20 watchers, the limit.");
      else await response.body?.cancel();
      return isFull;
    }, "the next is refused");
    stop.abort();
    await Promise.all(first);

    await until(async () => {
      const again = new AbortController();
      const { value } = await feed(one, "", again.signal)
        .next()
        .catch(() => ({ value: undefined }));
      again.abort();
      return value !== undefined;
    }, "there is room again");
  });

  test("commands show, cancel and follow", async () => {
    const key = await stage.makeKey();
    const reading = readAll(await send({ gateway: one, key, format: "chat" }));
    const tail = stage.follow("tail", "--key", key.prefix, "--json");
    const row = await stage.shown(other, key, ({ output_tokens: tokens }) => (tokens ?? 0) > 0);
    const listed = await stage.tollgate("live", "--key", key.prefix);
    const cancelled = await stage.tollgate("live", "cancel", row.request_id);
    const unknown = await stage.tollgate("live", "cancel", `req_${"0".repeat(32)}`);
    await reading;
    await until(() => tail.output().includes(row.request_id), "it is told");
    tail.stop();

    expect(listed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/request +key[^]*1 request in flight; \d process/),
    });
    expect(listed.stdout).toContain(row.request_id);
    expect(cancelled).toMatchObject({ code: 0, stdout: `${row.request_id}: cancelled.\n` });
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("is not in flight") as string });
    expect(JSON.parse(tail.output().split("\n")[0] ?? "")).toMatchObject({ code: "request_cancelled", status: 200 });
  });

  test("the ledger is sound after all of it", async () => {
    const verified = await stage.tollgate("ledger", "verify", "--json");

    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true });
  });

  test("a process that is killed is not shown after some seconds, and is counted as silent", async () => {
    const key = await stage.makeKey();
    const reading = readAll(await send({ gateway: other, key, format: "chat" }));
    await stage.shown(one, key);
    other.signal("SIGKILL");
    await reading;
    let silent = 0;
    await until(async () => {
      const live = await stage.live(one);
      ({ silent } = live);
      return live.data.every(({ key_prefix: prefix }) => prefix !== key.prefix);
    }, "its row ages out");

    expect(silent).toBe(1);
  });
});
