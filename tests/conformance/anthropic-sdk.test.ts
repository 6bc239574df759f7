import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
} from "@anthropic-ai/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MESSAGE, modelFor } from "../contract/operations.ts";
import { makeKey } from "../contract/operator.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { recordings } from "../support/recordings.ts";

const TWICE = "duplicate-message-start.chunks.txt";
const recorded = recordings("messages").some(({ name }) => name === TWICE);
const models: Record<string, TestModel> = {
  plain: modelFor(MESSAGE, "sim"),
  normalised: modelFor(MESSAGE, "sim", { conformant: false }),
  tools: modelFor(MESSAGE, "sim+tokens=5+tool=get_weather"),
  "fails-later": modelFor(MESSAGE, "sim+tokens=9+fail=reset@4"),
  overloaded: modelFor(MESSAGE, "sim+fail=529"),
  twice: modelFor(MESSAGE, `replay+recording=${TWICE}`, { conformant: false }),
};

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models });
});
afterAll(() => gateway.stop());

const messages = [{ role: "user" as const, content: "Hello" }];
const ask = (model: string) => ({ model, max_tokens: 100, messages });
const origins = [
  { mode: "credit" as const, prefix: "" },
  { mode: "token_budget" as const, prefix: "/token" },
];

/** Given the bare origin, as native clients are; the key in the bearer scheme. [spec 1.4] */
const client = (apiKey: string, prefix = ""): Anthropic =>
  new Anthropic({ apiKey, baseURL: `${gateway.publicUrl}${prefix}`, maxRetries: 0 });

test.each(origins)(
  "the official SDK gets a plain answer on the $mode origin [ORI-8] [ORI-9]",
  async ({ mode, prefix }) => {
    const answer = await client(gateway.keys[mode], prefix).messages.create(ask("plain"));

    expect(answer.content).toMatchObject([{ type: "text", text: expect.stringMatching(/^\w+ \w+/) as string }]);
    expect(answer.usage.output_tokens).toBe(40);
    expect(answer._request_id).toMatch(/^req_[0-9a-f]{32}$/);
  },
);

test("the SDK lists models with the same credential [ORI-9]", async () => {
  const list = await client(gateway.keys.credit).models.list();

  expect(list.data.map(({ id }) => id)).toContain("plain");
});

test.each(["plain", "normalised"])("the SDK's stream helper accepts the stream of %s", async (model) => {
  const final = await client(gateway.keys.credit).messages.stream(ask(model)).finalMessage();

  expect(final).toMatchObject({ stop_reason: "end_turn", usage: { output_tokens: 40 } });
  if (model === "normalised") expect(final.model).toBe("normalised");
});

test("tool calls pass through whole, streamed or not", async () => {
  const sdk = client(gateway.keys.credit);
  const plain = await sdk.messages.create(ask("tools"));
  const streamed = await sdk.messages.stream(ask("tools")).finalMessage();

  expect(plain).toMatchObject({ stop_reason: "tool_use", content: [{ type: "tool_use", name: "get_weather" }] });
  expect(streamed.content).toMatchObject([{ type: "tool_use", input: (plain.content[0] as { input: object }).input }]);
});

test.skipIf(!recorded)(
  "the helper accepts a recorded stream that begins twice, once it is normalised [STR-27]",
  async () => {
    const final = await client(gateway.keys.credit).messages.stream(ask("twice")).finalMessage();

    expect(final).toMatchObject({
      model: "twice",
      content: [{ text: "Hello, World!" }],
      usage: { output_tokens: 227 },
    });
  },
);

test("refusals reach the SDK as its own error classes, with type and request id [ERR-28] [ERR-29] [ERR-31] [ERR-32]", async () => {
  const sdk = client(gateway.keys.credit);
  await gateway.tollgate("providers", "add", "elsewhere", "--url", "http://127.0.0.1:9/v1", "--credential", "none");
  const { secret } = await makeKey(gateway, { credit: "1", provider_scope: "elsewhere" });
  const cases: [refuse: () => Promise<unknown>, kind: abstract new (...args: never[]) => Error, type: string][] = [
    [() => sdk.messages.create(ask("no-such-model")), NotFoundError, "not_found_error"],
    [() => client("wrong").messages.create(ask("plain")), AuthenticationError, "authentication_error"],
    [() => sdk.messages.create({ ...ask("plain"), messages: [] }), BadRequestError, "invalid_request_error"],
    [() => client(secret).messages.create(ask("plain")), PermissionDeniedError, "permission_error"],
  ];
  for (const [refuse, kind, type] of cases) {
    const error: unknown = await refuse().catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ error: { error: { type } }, requestID: expect.stringMatching(/^req_/) as string });
  }
});

test("terminal refusals are asked once, whatever the SDK's number of retries [HDR-10]", async () => {
  const { secret: broke } = await makeKey(gateway, { credit: "0.000001" });
  let asked = 0;
  const counting = (apiKey: string): Anthropic =>
    client(apiKey).withOptions({
      maxRetries: 5,
      fetch: (url, init) => {
        asked++;
        return fetch(url, init);
      },
    });
  for (const [key, model] of [
    ["wrong", "plain"],
    [gateway.keys.credit, "no-such-model"],
    [broke, "plain"],
  ] as const) {
    asked = 0;
    await expect(counting(key).messages.create(ask(model))).rejects.toBeInstanceOf(APIError);
    expect(asked).toBe(1);
  }
});

test("a failure after content is an error to the stream helper, not a short answer [STR-22]", async () => {
  const stream = client(gateway.keys.credit).messages.stream(ask("fails-later"));
  let text = "";
  stream.on("text", (delta) => (text += delta));

  await expect(stream.finalMessage()).rejects.toMatchObject({ error: { error: { type: "api_error" } } });
  expect(text.split(" ").length).toBeGreaterThan(2);
});

test("a provider over its capacity is left to the SDK's own backoff", async () => {
  await expect(client(gateway.keys.credit).messages.create(ask("overloaded"))).rejects.toMatchObject({ status: 502 });
});
