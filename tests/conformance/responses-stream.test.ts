import { createHash } from "node:crypto";
import { once } from "node:events";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelFor, RESPONSES } from "../contract/operations.ts";
import { openStream, readAll } from "../contract/open-stream.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { onlyStraight, translates } from "../support/provider-dialect.ts";
import { recordings } from "../support/recordings.ts";
import { until } from "../support/until.ts";

const ROTATING = "github-copilot-id-rotation.1.chunks.txt";
/** A recording is of one format. `recordings.test.ts` brings each to callers of all three. */
const recorded = !translates() && recordings("responses").some(({ name }) => name === ROTATING);
const models: Record<string, TestModel> = Object.fromEntries(
  Object.entries({
    plain: "sim",
    tools: "sim+tokens=5+tool=get_weather",
    paused: "sim+tokens=6+pause=3",
    endless: "sim+tokens=10000+rate=50",
    next: "sim+tokens=1",
    silent: "sim+tokens=2+pause=1",
    hashed: "sim+tokens=500+hash",
    "fails-error": "sim+tokens=9+fail=error@4",
    "fails-reset": "sim+tokens=9+fail=reset@4",
    "fails-close": "sim+tokens=9+fail=close@4",
    broken: "sim+tokens=9+malformed=4",
    before: "sim+fail=reset",
    normalised: "sim",
    rotating: `replay+recording=${ROTATING}`,
  }).map(([name, upstream]) => [
    name,
    modelFor(RESPONSES, upstream, { conformant: !["broken", "normalised", "rotating"].includes(name) }),
  ]),
);

let gateway: GatewayProcess;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models,
    settings: { TOLLGATE_LIMITS_KEEP_ALIVE_MS: "300", TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "10000" },
  });
  client = new OpenAI({ apiKey: gateway.keys.credit, baseURL: `${gateway.publicUrl}/v1`, maxRetries: 2 });
});
afterAll(() => gateway.stop());

const open = (model: string) => openStream(RESPONSES, { gateway, fields: { model } });
const lastEvent = (text: string): string => text.split("\n\n").at(-2) ?? "";
const dataOf = (event: string): unknown => JSON.parse(event.slice(event.indexOf("{")));

async function call(model: string, field: "ended" | "paused") {
  const upstream = models[model]?.upstream;
  return (await gateway.witness()).findLast((seen) => seen.model === upstream && seen[field]);
}

test("the official SDK gets a plain answer, with its request id", async () => {
  const answer = await client.responses.create({ model: "plain", input: "Hello" });

  expect(answer.output_text.split(" ")).toHaveLength(40);
  expect(answer.usage?.output_tokens).toBe(40);
  expect(answer._request_id).toMatch(/^req_[0-9a-f]{32}$/);
});

test.each(["plain", "normalised", "tools"])(
  "the official SDK's stream helper accepts the stream of %s",
  async (model) => {
    const final = await client.responses.stream({ model, input: "Hello" }).finalResponse();

    expect(final.status).toBe("completed");
    expect(final.output).toHaveLength(1);
  },
);

test("tool calls pass through whole", async () => {
  const { output } = await client.responses.create({ model: "tools", input: "Hello" });

  expect(output).toMatchObject([{ type: "function_call", name: "get_weather" }]);
});

test.skipIf(!recorded)(
  "the helper accepts a recorded stream whose ids change, once it is normalised [STR-27]",
  async () => {
    const final = await client.responses.stream({ model: "rotating", input: "Hello" }).finalResponse();

    expect(final.model).toBe("rotating");
    expect(final.output_text.length).toBeGreaterThan(0);
  },
);

test("a refusal reaches the SDK as its own error class, and is not tried again [HDR-10]", async () => {
  const callsBefore = (await gateway.witness()).length;
  const refused = client.responses.create({ model: "plain", input: "Hello", previous_response_id: "resp_1" });

  await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  await expect(refused).rejects.toMatchObject({ code: "invalid_request", param: "previous_response_id" });
  await expect(refused).rejects.toHaveProperty("requestID", expect.stringMatching(/^req_/));
  expect(await gateway.witness()).toHaveLength(callsBefore);
});

test("terminal refusals are asked once, whatever the SDK's number of retries", async () => {
  let asked = 0;
  const counting = client.withOptions({
    maxRetries: 5,
    fetch: (url, init) => {
      asked++;
      return fetch(url, init);
    },
  });
  for (const ask of [
    () => counting.responses.create({ model: "no-such-model", input: "Hello" }),
    () => counting.withOptions({ apiKey: "wrong" }).responses.create({ model: "plain", input: "Hello" }),
    () => counting.responses.create({ model: "plain", input: "Hello", max_output_tokens: 1_000_000 }),
  ]) {
    asked = 0;
    await expect(ask()).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(asked).toBe(1);
  }
});

test("a delta reaches the caller before the provider has produced the next one [STR-10] [STR-18]", async () => {
  const response = await open("paused");
  let text = "";
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.split("event: response.output_text.delta").length > 3, "three tokens arrive");
  await until(async () => (await call("paused", "paused")) !== undefined, "the provider is paused");

  expect(await call("paused", "paused")).toMatchObject({ tokensProduced: 3, ended: null });
  const ended = once(response, "end");
  await gateway.release();
  await ended;
  expect(lastEvent(text)).toMatch(/^event: response\.completed\n/);
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

test("a silent stream is kept alive by comments, between events only [STR-33] [STR-35]", async () => {
  const response = await open("silent");
  let text = "";
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.includes(": keep-alive\n\n: keep-alive\n\n"), "two signs of life");
  const ended = once(response, "end");
  await gateway.release();
  await ended;

  expect(text.replaceAll(": keep-alive\n\n", "")).toMatch(/^(event: [\w.]+\ndata: \{.+\}\n\n)+$/);
});

test.each(["fails-error", "fails-reset", "fails-close", "broken", "endless"])(
  "a stream that ends badly after content (%s) says so with the next number and the same id [STR-14] [STR-21] [STR-23]",
  async (model) => {
    const response = await open(model);
    const { text, broken } = await readAll(response);
    const events = text.split("\n\n").filter((event) => event.startsWith("event: "));
    const first = dataOf(events[0] ?? "") as { response: { id: string } };

    expect({ status: response.statusCode, broken }).toEqual({ status: 200, broken: false });
    expect(text).toContain("response.output_text.delta");
    expect(text).not.toContain("response.completed");
    expect(dataOf(lastEvent(text))).toMatchObject({
      type: "response.failed",
      sequence_number: events.length - 1,
      response: {
        id: first.response.id,
        status: "failed",
        error: { code: "upstream_error", request_id: response.headers["x-request-id"] },
      },
    });
  },
);

test("the SDK's stream helper understands such a failure", async () => {
  const final = await client.responses.stream({ model: "fails-reset", input: "Hello" }).finalResponse();

  expect(final).toMatchObject({ status: "failed", error: { code: "upstream_error" } });
});

test("a provider that fails before content is a 502 with a status of its own [ORD-14]", async () => {
  const response = await open("before");
  const { text } = await readAll(response);

  expect(response.statusCode).toBe(502);
  expect(JSON.parse(text)).toMatchObject({ error: { code: "upstream_error", type: "api_error" } });
});
