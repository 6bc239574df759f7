import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { onlyStraight, translates } from "../../support/provider-dialect.ts";
import { requestIdOf } from "../knock.ts";
import { issueKey, makeKey } from "../operator.ts";
import { ask, COUNT, JSON_TYPE, MESSAGE, modelFor, send } from "../operations.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: modelFor(COUNT, "sim+input=2095"),
      elsewhere: modelFor(COUNT, "sim", translates() ? {} : { dialect: "chat" }),
      failing: modelFor(COUNT, "sim+fail=500"),
      refusing: modelFor(COUNT, "sim+fail=400"),
      unauthorised: modelFor(COUNT, "sim+fail=401"),
      resetting: modelFor(COUNT, "sim+fail=reset"),
      silent: modelFor(COUNT, "sim+fail=hang"),
    },
  });
});
afterAll(() => gateway.stop());

const countIn = (text: string): number => (JSON.parse(text) as { input_tokens: number }).input_tokens;

test("a provider of this format is asked, and its count is the answer and nothing besides [CNT-1] [CNT-2] [CNT-10]", async (context) => {
  onlyStraight(context, "of the three formats this alone has an operation that counts");
  const reply = await ask(COUNT, { gateway });
  const call = (await gateway.witness()).at(-1);

  expect({ status: reply.status, body: JSON.parse(reply.text) as unknown }).toEqual({
    status: 200,
    body: { input_tokens: 2095 },
  });
  expect(reply.headers).toMatchObject({ "content-type": "application/json", "x-tollgate-counted-by": "provider" });
  expect(call).toMatchObject({ path: "/v1/messages/count_tokens", tokensProduced: 0 });
  requestIdOf(reply);
});

test.each(["elsewhere", "failing", "refusing", "unauthorised", "resetting", "silent"])(
  "where no provider counts (%s), the answer is an estimate and never a provider's error [CNT-13]",
  async (model) => {
    const short = await ask(COUNT, { gateway, fields: { model } });
    const messages = [{ role: "user", content: "A longer question, ".repeat(100) }];
    const long = await ask(COUNT, { gateway, fields: { model, messages } });

    expect([short.status, long.status]).toEqual([200, 200]);
    expect(short.headers["x-tollgate-counted-by"]).toBe("estimate");
    expect(countIn(short.text)).toBeGreaterThan(0);
    expect(countIn(long.text)).toBeGreaterThan(300);
    expect(countIn(long.text)).toBeLessThan(1_000);
  },
);

test("a whole message request is counted, and only its input is shown to the provider [CNT-9] [BOD-28]", async (context) => {
  onlyStraight(context, "of the three formats this alone has an operation that counts");
  const input = {
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    system: [{ type: "text", text: "Be brief." }],
    tools: [{ name: "f", input_schema: {} }],
    tool_choice: { type: "auto" },
    thinking: { type: "adaptive" },
  };
  const rest = { max_tokens: 5, stream: true, metadata: { user_id: "ann" }, temperature: 1, unheard_of: 1 };
  const reply = await ask(COUNT, { gateway, fields: { ...input, ...rest } });

  expect(JSON.parse(reply.text)).toEqual({ input_tokens: 2095 });
  expect((await gateway.witness()).at(-1)?.body).toEqual({ model: "sim+input=2095", ...input });
});

test("what is refused elsewhere is accepted, and is not shown to the provider [CNT-15]", async (context) => {
  onlyStraight(context, "of the three formats this alone has an operation that counts");
  const text = { type: "text", text: "Hello" };
  const reply = await ask(COUNT, {
    gateway,
    fields: {
      mcp_servers: [{ type: "url", url: "https://example.com", name: "x" }],
      container: "container_1",
      messages: [{ role: "user", content: [{ ...text, file_id: "f", Text: "y" }] }],
      tools: [
        { type: "mcp_toolset", mcp_server_name: "x" },
        { type: "code_execution_20250825", name: "code_execution" },
        { type: "web_search_20250305", name: "web_search" },
        { name: "f", input_schema: {} },
      ],
    },
  });

  expect(JSON.parse(reply.text)).toEqual({ input_tokens: 2095 });
  expect((await gateway.witness()).at(-1)?.body).toEqual({
    model: "sim+input=2095",
    messages: [{ role: "user", content: [text] }],
    tools: [
      { type: "web_search_20250305", name: "web_search" },
      { name: "f", input_schema: {} },
    ],
  });
});

test("counting charges nothing, and needs no money [CNT-11] [CNT-12]", async () => {
  const { secret: key } = await makeKey(gateway, { credit: "0.000001" });
  const usage = async (): Promise<unknown> =>
    (await fetch(`${gateway.publicUrl}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).json();
  const before = await usage();
  const paid = await ask(MESSAGE, { gateway, key });
  const counted = await ask(COUNT, { gateway, key });

  expect([paid.status, counted.status]).toEqual([402, 200]);
  expect(await usage()).toEqual(before);
});

test.each([
  { mode: "credit", order: {}, origin: "" },
  { mode: "token_budget", order: { budget: 0 }, origin: "/token" },
] as const)("for a $mode key with nothing left no provider is asked [CNT-12]", async ({ mode, order, origin }) => {
  const { secret: key } = await issueKey(gateway, { mode, ...order });
  const calls = (await gateway.witness()).length;
  const counted = await ask(COUNT, { gateway, key, origin });

  expect(counted).toMatchObject({ status: 200, headers: { "x-tollgate-counted-by": "estimate" } });
  expect((await gateway.witness()).length).toBe(calls);
});

test("both ways of sending a key are taken, at both origins [AUT-1] [AUT-2] [ORI-2] [ORI-3]", async () => {
  const body = JSON.stringify({ model: "plain", ...COUNT.body });
  const headers = ["x-api-key", gateway.keys.credit, ...JSON_TYPE];
  const byHeader = await send(COUNT, { gateway, body, headers });
  const tokens = await ask(COUNT, { gateway, key: gateway.keys.token_budget, origin: "/token" });

  expect([byHeader.status, tokens.status]).toEqual([200, 200]);
});

test("the version and the listed flags are forwarded [VER-3] [VER-9] [BOD-30]", async (context) => {
  onlyStraight(context, "both are words of this format alone");
  const flags = "interleaved-thinking-2025-05-14,files-api-2025-04-14";
  await ask(COUNT, {
    gateway,
    headers: ["compat-version", "2026-10-21", "anthropic-version", "latest", "anthropic-beta", flags],
  });

  expect((await gateway.witness()).at(-1)?.headers).toMatchObject({
    "anthropic-version": "2026-10-21",
    "anthropic-beta": "interleaved-thinking-2025-05-14",
  });
});
