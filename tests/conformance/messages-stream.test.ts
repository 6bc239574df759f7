import { createHash } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MESSAGE, modelFor } from "../contract/operations.ts";
import { openStream, readAll } from "../contract/open-stream.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { onlyStraight } from "../support/provider-dialect.ts";
import { until } from "../support/until.ts";

const PING = `event: ping\ndata: {"type":"ping"}\n\n`;
const models: Record<string, TestModel> = Object.fromEntries(
  Object.entries({
    paused: "sim+tokens=6+pause=3",
    endless: "sim+tokens=100000+rate=50",
    next: "sim+tokens=1",
    silent: "sim+tokens=2+pause=1",
    hashed: "sim+tokens=500+hash",
    "fails-error": "sim+tokens=9+fail=error@4",
    "fails-reset": "sim+tokens=9+fail=reset@4",
    "fails-close": "sim+tokens=9+fail=close@4",
    broken: "sim+tokens=9+malformed=4",
    before: "sim+fail=reset",
  }).map(([name, upstream]) => [name, modelFor(MESSAGE, upstream, { conformant: name !== "broken" })]),
);

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models,
    settings: { TOLLGATE_LIMITS_KEEP_ALIVE_MS: "300", TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "10000" },
  });
});
afterAll(() => gateway.stop());

const open = (model: string) => openStream(MESSAGE, { gateway, fields: { model, max_tokens: 100_000 } });

async function call(model: string, field: "ended" | "paused") {
  const upstream = models[model]?.upstream;
  return (await gateway.witness()).findLast((seen) => seen.model === upstream && seen[field]);
}

test("a delta reaches the caller before the provider has produced the next one [STR-10] [STR-18]", async () => {
  const response = await open("paused");
  let text = "";
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.split("text_delta").length > 3, "three tokens arrive");
  await until(async () => (await call("paused", "paused")) !== undefined, "the provider is paused");

  expect(await call("paused", "paused")).toMatchObject({ tokensProduced: 3, ended: null });
  expect(text).not.toContain("message_stop");
  const ended = once(response, "end");
  await gateway.release();
  await ended;
  expect(text.endsWith(`event: message_stop\ndata: {"type":"message_stop"}\n\n`)).toBe(true);
});

test("when the caller leaves, the provider sees it [CAN-1] [CAN-2]", async () => {
  const response = await open("endless");
  await once(response, "data");
  response.destroy();

  // A request that is sent afterwards takes the same way: the news of the departure is no slower.
  await readAll(await open("next"));
  await until(async () => (await call("endless", "ended")) !== undefined, "the provider saw it");
  const [seen, next] = [await call("endless", "ended"), await call("next", "ended")];
  expect(seen).toMatchObject({ ended: "caller_gone" });
  expect(seen?.callerGoneAtMs ?? Infinity).toBeLessThanOrEqual((next?.receivedAtMs ?? 0) + 1_000);
});

test("on a conformant route the bytes relayed are the bytes produced [STR-26]", async (context) => {
  onlyStraight(context, "what is translated is written anew");
  const { text } = await readAll(await open("hashed"));
  const seen = await call("hashed", "ended");

  expect(seen).toMatchObject({ bytesProduced: Buffer.byteLength(text) });
  expect(createHash("sha256").update(text).digest("hex")).toBe((seen as { sha256?: string } | undefined)?.sha256);
});

test("a silent stream is kept alive by pings, between events only [STR-34] [STR-35]", async () => {
  const response = await open("silent");
  let text = "";
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.includes(PING + PING), "two signs of life");
  const ended = once(response, "end");
  await gateway.release();
  await ended;

  expect(text).toMatch(/^(event: \w+\ndata: \{.+\}\n\n)+$/);
});

test("a stream that lasts too long ends with an error event, not silently [STR-13] [STR-14] [STR-22]", async () => {
  const { text, broken } = await readAll(await open("endless"));
  const last = text.split("\n\n").at(-2) ?? "";

  expect(broken).toBe(false);
  expect(last).toMatch(/^event: error\ndata: /);
  expect(JSON.parse(last.slice(last.indexOf("{")))).toMatchObject({
    type: "error",
    error: { type: "timeout_error", code: "upstream_timeout" },
  });
});

test.each(["fails-error", "fails-reset", "fails-close", "broken"])(
  "a provider that fails after content (%s) shows as an error event and never as a whole answer [STR-22] [STR-23]",
  async (model) => {
    const response = await open(model);
    const { text, broken } = await readAll(response);
    const last = text.split("\n\n").at(-2) ?? "";

    expect({ status: response.statusCode, broken }).toEqual({ status: 200, broken: false });
    expect(text).toContain("text_delta");
    expect(text).not.toContain("message_stop");
    expect(JSON.parse(last.slice(last.indexOf("{")))).toMatchObject({
      type: "error",
      error: { type: "api_error", code: "upstream_error" },
      request_id: response.headers["request-id"],
    });
  },
);

test("a provider that fails before content is a 502 with a status of its own [ORD-14]", async () => {
  const response = await open("before");
  const { text } = await readAll(response);

  expect(response.statusCode).toBe(502);
  expect(JSON.parse(text)).toMatchObject({ type: "error", error: { code: "upstream_error" } });
});
