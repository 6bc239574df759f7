import { createHash } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { onlyStraight, translates } from "../support/provider-dialect.ts";
import { recordings } from "../support/recordings.ts";
import { eventsOf, openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";

/** A recording is of one format. `recordings.test.ts` brings each to callers of all three. */
const recorded = (translates() ? [] : recordings("chat")).filter(({ name }) => !name.endsWith(".json"));
const models: Record<string, TestModel> = {
  paused: { upstream: "sim+tokens=6+pause=3" },
  endless: { upstream: "sim+tokens=100000+rate=50" },
  next: { upstream: "sim+tokens=1" },
  silent: { upstream: "sim+tokens=2+pause=1" },
  late: { upstream: "sim+ttft=60000" },
  hashed: { upstream: "sim+tokens=500+hash" },
  "fails-before": { upstream: "sim+fail=500" },
  "fails-unauthorised": { upstream: "sim+fail=401" },
  "fails-error": { upstream: "sim+tokens=9+fail=error@4" },
  "fails-reset": { upstream: "sim+tokens=9+fail=reset@4" },
  "fails-close": { upstream: "sim+tokens=9+fail=close@4" },
  "fails-first": { upstream: "sim+tokens=9+fail=reset" },
  broken: { upstream: "sim+tokens=9+malformed=4", conformant: false },
  ...Object.fromEntries(
    recorded.map(({ name }) => [`replay-${name}`, { upstream: `replay+recording=${name}`, conformant: false }]),
  ),
  ...Object.fromEntries(recorded.map(({ name }) => [`untouched-${name}`, { upstream: `replay+recording=${name}` }])),
};

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models,
    settings: { TOLLGATE_LIMITS_KEEP_ALIVE_MS: "300", TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "10000" },
  });
});
afterAll(() => gateway.stop());

const open = (model: string, body: object = {}) =>
  openChatStream({ url: gateway.publicUrl, key: gateway.keys.credit, model, body });

async function call(model: string, field: "ended" | "paused") {
  const upstream = models[model]?.upstream;
  return (await gateway.witness()).findLast((seen) => seen.model === upstream && seen[field]);
}

test("a chunk reaches the caller before the provider has produced the next one [spec 6.1.8] [STR-10]", async () => {
  const { response } = await open("paused");
  let text = "";
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await until(() => eventsOf(text).length >= 4, "the role and three tokens arrive");
  await until(async () => (await call("paused", "paused")) !== undefined, "the provider is paused");

  expect(await call("paused", "paused")).toMatchObject({ tokensProduced: 3, ended: null });
  const ended = once(response, "end");
  await gateway.release();
  await ended;
  expect(eventsOf(text).at(-1)).toBe("[DONE]");
});

test("the provider sees the caller's departure before a request sent after it, or at most a second later [spec 6.2.2] [CAN-1] [CAN-2]", async () => {
  const { request, response } = await open("endless");
  await once(response, "data");
  request.destroy();

  // A request that is sent afterwards takes the same way: the news of the departure is no slower.
  await readAll((await open("next")).response);
  await until(async () => (await call("endless", "ended")) !== undefined, "the provider saw it");
  const [seen, next] = [await call("endless", "ended"), await call("next", "ended")];
  expect(seen).toMatchObject({ ended: "caller_gone" });
  expect(seen?.callerGoneAtMs ?? Infinity).toBeLessThanOrEqual((next?.receivedAtMs ?? 0) + 1_000);
});

test("the provider sees a caller leave that was never answered", async () => {
  const leaving = new AbortController();
  const asked = fetch(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "late", messages: [{ role: "user", content: "Hello" }] }),
    signal: leaving.signal,
  }).catch(() => "left");
  await until(
    async () => (await gateway.witness()).some(({ model }) => model === models["late"]?.upstream),
    "the call arrives",
  );
  leaving.abort();

  expect(await asked).toBe("left");
  await until(async () => (await call("late", "ended"))?.ended === "caller_gone", "the provider saw it");
});

test("on a conformant route the bytes relayed are the bytes produced [STR-26]", async (context) => {
  onlyStraight(context, "what is translated is written anew");
  const { response } = await open("hashed", { stream_options: { include_usage: true } });
  const { text } = await readAll(response);
  const seen = await call("hashed", "ended");

  expect(seen).toMatchObject({ bytesProduced: Buffer.byteLength(text) });
  expect(createHash("sha256").update(text).digest("hex")).toBe((seen as { sha256?: string } | undefined)?.sha256);
});

test("streams carry their headers [spec 6.1.9]", async () => {
  const { response } = await open("paused");
  await gateway.release();
  await readAll(response);

  expect(response.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-request-id": expect.stringMatching(/^req_/) as string,
  });
  expect(response.headers["request-id"]).toBe(response.headers["x-request-id"]);
});

test("a silent stream is kept alive between events", async () => {
  const { response } = await open("silent");
  let text = "";
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.includes(": keep-alive\n\n: keep-alive\n\n"), "two signs of life");
  const ended = once(response, "end");
  await gateway.release();
  await ended;

  expect(text.replaceAll(": keep-alive\n\n", "")).toMatch(/^(data: .+\n\n)+$/);
  expect(eventsOf(text).at(-1)).toBe("[DONE]");
});

test("a stream that lasts too long ends with an error event, not silently [spec 6.1.10] [STR-14]", async () => {
  const { response } = await open("endless");
  const { text, broken } = await readAll(response);

  expect(broken).toBe(false);
  expect(JSON.parse(eventsOf(text).at(-1) ?? "")).toMatchObject({
    error: { code: "upstream_error", type: "api_error" },
  });
  expect(text).not.toContain("[DONE]");
});

test.each(["fails-error", "fails-reset", "fails-close", "broken"])(
  "a provider that fails after content (%s) shows as an error event and never as a whole answer",
  async (model) => {
    const { response, status } = await open(model);
    const { text, broken } = await readAll(response);
    const last = JSON.parse(eventsOf(text).at(-1) ?? "{}") as { error?: { code: string; request_id: string } };

    expect({ status, broken }).toEqual({ status: 200, broken: false });
    expect(eventsOf(text).length).toBeGreaterThan(2);
    expect(text).not.toContain("[DONE]");
    expect(last.error).toMatchObject({ code: "upstream_error", request_id: response.headers["x-request-id"] });
  },
);

test.each([
  ["fails-before", "upstream_error"],
  ["fails-unauthorised", "provider_unavailable"],
  ["fails-first", "upstream_error"],
])("a provider that fails before content (%s) is a 502 with a status of its own", async (model, code) => {
  const { response, status } = await open(model);
  const { text } = await readAll(response);

  expect(status).toBe(502);
  expect(JSON.parse(text)).toMatchObject({ error: { code, type: "api_error" } });
});

test.skipIf(recorded.length === 0).each(recorded)(
  "$name through a normalised route keeps the rules of chat streams [spec 6.1.3–6.1.7] [STR-3] [STR-6] [STR-8] [STR-27]",
  async ({ name }) => {
    const { response, status } = await open(`replay-${name}`);
    const events = eventsOf((await readAll(response)).text);

    expect(status).toBe(200);
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1).map((data) => JSON.parse(data) as Chunk);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ object: "chat.completion.chunk", model: `replay-${name}`, id: chunks[0]?.id });
      for (const choice of chunk.choices) expect(choice).toHaveProperty("finish_reason");
    }
    const reasons = chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason));
    expect(reasons.filter((reason) => reason !== null).length).toBeGreaterThan(0);
    expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
  },
);

test.skipIf(recorded.length === 0).each(recorded.filter(({ lines }) => lines.length > 0))(
  "$name through a conformant route is relayed byte for byte but for the usage event [STR-26]",
  async ({ name, lines }) => {
    const { response } = await open(`untouched-${name}`);
    const expected = lines.filter((line) => {
      const chunk = JSON.parse(line) as Chunk;
      return !(chunk.choices.length === 0 && chunk.usage);
    });

    expect(eventsOf((await readAll(response)).text)).toEqual([...expected, "[DONE]"]);
  },
);

type Chunk = { id: string; choices: { delta: object; finish_reason: string | null }[]; usage?: object | null };
