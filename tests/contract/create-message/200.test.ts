import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { notAt, onlyStraight, translates } from "../../support/provider-dialect.ts";
import { requestIdOf } from "../knock.ts";
import { ask, JSON_TYPE, MESSAGE, modelFor, send } from "../operations.ts";
import { headersTold, limitTold, ordinaryTier, type ToldBody, userTold } from "../told-provider.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: modelFor(MESSAGE, "sim+tokens=2000"),
      short: modelFor(MESSAGE, "sim"),
      normalised: modelFor(MESSAGE, "sim", { conformant: false }),
      cached: modelFor(MESSAGE, "sim", {
        conformant: false,
        price: { input: "1", output: "4", cache_write_5m: "1.25", cache_write_1h: "2" },
      }),
      small: modelFor(MESSAGE, "sim", { maxOutputTokens: 8 }),
    },
  });
});
afterAll(() => gateway.stop());

async function lastCall() {
  const call = (await gateway.witness()).at(-1);
  if (!call) throw new Error("the provider saw no call");
  return call;
}

test("a plain answer has the fields of a message [MSG-1] [MSG-22] [MSG-23] [MSG-24] [MSG-25] [MSG-26] [MSG-27]", async () => {
  const reply = await ask(MESSAGE, { gateway, fields: { model: "short" } });

  expect(reply.status).toBe(200);
  expect(reply.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(reply.text)).toMatchObject({
    id: expect.any(String) as string,
    type: "message",
    role: "assistant",
    model: expect.any(String) as string,
    content: [{ type: "text" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: expect.any(Number) as number, output_tokens: 40 },
  });
  requestIdOf(reply);
});

test("what the provider adds to its usage reaches the caller [MSG-28]", async (context) => {
  onlyStraight(context, "what only the provider's format knows has no place in the caller's");
  const reply = await ask(MESSAGE, { gateway, fields: { model: "short" } });

  expect(JSON.parse(reply.text)).toMatchObject({ usage: { service_tier: "standard" } });
});

test("`stream: true` is a stream of named events that ends with message_stop [STR-1] [STR-11] [STR-12] [STR-16]", async () => {
  const reply = await ask(MESSAGE, { gateway, fields: { model: "short", stream: true } });
  const events = reply.text.split("\n\n").filter((event) => event !== "");

  expect(reply.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  expect(events[0]).toMatch(/^event: message_start\ndata: \{/);
  expect(events.at(-1)).toBe('event: message_stop\ndata: {"type":"message_stop"}');
});

test("without a limit of its own a request runs with 1024 tokens [MSG-11] [MON-10]", async () => {
  const reply = await ask(MESSAGE, { gateway });

  expect(limitTold((await lastCall()).body)).toBe(1024);
  expect(JSON.parse(reply.text)).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 1024 } });
});

test("a limit above the published one is lowered to it, however large, the default included [MSG-10] [MSG-12] [MSG-13] [MOD-10]", async () => {
  for (const fields of [{ max_tokens: 9 }, { max_tokens: 1_000_000 }, { max_tokens: 1e30 }, {}]) {
    const reply = await ask(MESSAGE, { gateway, fields: { model: "small", ...fields } });

    expect(reply.status).toBe(200);
    expect(limitTold((await lastCall()).body)).toBe(8);
  }
  const body = JSON.stringify({ ...MESSAGE.body, model: "small" }).replace("{", '{"max_tokens":9007199254740993,');
  expect(await send(MESSAGE, { gateway, body })).toMatchObject({ status: 200 });
  expect(limitTold((await lastCall()).body)).toBe(8);
});

test("fields the specification does not name reach the provider untouched [BOD-1] [MSG-8] [MSG-21]", async (context) => {
  onlyStraight(context, "another format has no word for them, and the caller is told which were lost");
  const fields = {
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" }, ключ: [1, null] }],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: { file_id: "mine" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "42" }] },
    ],
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
    max_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    stop_sequences: ["x"],
    thinking: { type: "disabled" },
    context_management: { edits: [] },
    tools: [
      { name: "f", input_schema: {}, defer_loading: true },
      { type: "bash_20250124", name: "bash" },
    ],
    tool_choice: { type: "auto" },
  };
  const reply = await ask(MESSAGE, { gateway, fields: { ...fields, model: "cached" } });

  expect(reply.status).toBe(200);
  expect((await lastCall()).body).toEqual({ ...fields, model: "sim" });
});

test("marks of a cache that has no price are removed and declared, and the model stays on sale for everybody [BOD-42]", async (context) => {
  onlyStraight(context, "a translation declares what it loses by itself");
  const marked = { type: "text", text: "Hello", cache_control: { type: "ephemeral" } };
  const fields = { model: "short", messages: [{ role: "user", content: [marked] }] };
  const reply = await ask(MESSAGE, { gateway, fields });

  expect(reply.status).toBe(200);
  expect(reply.headers["x-tollgate-fidelity"]).toBe("exact; dropped=messages.*.content.*.cache_control");
  expect(JSON.stringify((await lastCall()).body)).not.toContain("cache_control");
  expect((await ask(MESSAGE, { gateway, fields: { model: "short" } })).status).toBe(200);

  const strict = await ask(MESSAGE, { gateway, fields, headers: ["x-tollgate-fidelity", "strict"] });
  expect(strict.status).toBe(400);
  expect(strict.text).toContain("messages.0.content.0.cache_control");
});

test("`metadata.user_id` leaves as a pseudonym, and the provider is asked for its ordinary price [BOD-26] [BOD-28]", async (context) => {
  notAt("both", context, "it has no place for the name of a user");
  await ask(MESSAGE, { gateway, fields: { model: "short", metadata: { user_id: "ann" }, service_tier: "auto" } });
  const { body } = await lastCall();

  expect(userTold(body)).toMatch(/^[\w-]{43}$/);
  expect((body as ToldBody)["service_tier"]).toBe(ordinaryTier("messages"));
});

test("a normalised route answers under the public name [STR-29]", async () => {
  for (const stream of [false, true]) {
    const reply = await ask(MESSAGE, { gateway, fields: { model: "normalised", stream } });

    expect(reply.text).toContain(`"model":"normalised"`);
    expect(reply.text).not.toContain(`"model":"sim"`);
  }
});

test("x-api-key is taken as the bearer scheme is, and a token-budget key below /token [AUT-1] [AUT-2] [ORI-2] [ORI-8]", async () => {
  const body = JSON.stringify({ model: "short", ...MESSAGE.body });
  const key = (secret: string): string[] => ["x-api-key", secret, ...JSON_TYPE];
  const credit = await send(MESSAGE, { gateway, body, headers: key(gateway.keys.credit) });
  const tokens = await send(MESSAGE, { gateway, body, headers: key(gateway.keys.token_budget), origin: "/token" });

  expect([credit.status, tokens.status]).toEqual([200, 200]);
});

test("a query is passed over, as native clients send one", async () => {
  const reply = await ask({ ...MESSAGE, path: "/v1/messages?beta=true&x=1" }, { gateway, fields: { model: "short" } });

  expect(reply.status).toBe(200);
});

test.for<[string, string[], string]>([
  ["none", [], "2023-06-01"],
  ["one", ["compat-version", "2026-10-21"], "2026-10-21"],
  ["its other name", ["anthropic-version", "2026-10-21"], "2026-10-21"],
  ["a day in between", ["anthropic-version", "2025-01-01"], "2023-06-01"],
  ["a day to come", ["compat-version", "2031-01-01"], "2026-10-21"],
  ["two that disagree", ["compat-version", "2026-10-21", "anthropic-version", "2023-06-01"], "2026-10-21"],
  ["the other way round", ["anthropic-version", "2026-10-21", "compat-version", "2023-06-01"], "2023-06-01"],
  ["one that is no date, and one that is", ["compat-version", "next", "anthropic-version", "2026-10-21"], "2023-06-01"],
  ["no date", ["compat-version", "latest"], "2023-06-01"],
  ["no day of any month", ["anthropic-version", "2026-11-31"], "2023-06-01"],
  ["before the first", ["anthropic-version", "2023-05-31"], "2023-06-01"],
  ["nothing at all", ["compat-version", ""], "2023-06-01"],
])(
  "of versions (%s) the provider is sent the newest not after it, or the default [VER-3] [VER-4] [VER-5] [VER-6] [VER-7] [VER-8] [VER-9]",
  async ([_name, headers, sent], context) => {
    onlyStraight(context, "a version is one of this format alone");
    const { status } = await ask(MESSAGE, { gateway, fields: { model: "short" }, headers });

    expect(status).toBe(200);
    expect((await lastCall()).headers).toMatchObject({ "anthropic-version": sent });
  },
);

test("of the caller's headers only the version and listed flags reach the provider [BOD-30] [UPS-2] [VER-9]", async () => {
  const headers = [
    "anthropic-beta",
    "interleaved-thinking-2025-05-14,files-api-2025-04-14,context-1m-2025-08-07",
    "x-forwarded-for",
    "203.0.113.9",
    "x-stainless-lang",
    "js",
  ];
  await ask(MESSAGE, { gateway, fields: { model: "short" }, headers });
  const call = await lastCall();

  // Both are words of this format alone.
  expect(call.headers["anthropic-beta"]).toBe(translates() ? undefined : "interleaved-thinking-2025-05-14");
  expect(Object.keys(call.headers).sort()).toEqual([
    ...(translates() ? [] : ["anthropic-beta"]),
    ...headersTold("messages"),
  ]);
});
