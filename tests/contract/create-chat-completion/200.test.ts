import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { notAt, onlyStraight, providerDialect, translates } from "../../support/provider-dialect.ts";
import { eventsOf } from "../../support/sse-client.ts";
import { bearer, knock, requestIdOf } from "../knock.ts";
import { headersTold, storeTold, type ToldBody, userTold } from "../told-provider.ts";
import { ask, EVERYDAY, JSON_TYPE, MESSAGES, send } from "./ask.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { ...EVERYDAY, small: { upstream: "sim", maxOutputTokens: 8 } },
  });
});
afterAll(() => gateway.stop());

/** What the provider was last asked. */
async function lastCall() {
  const call = (await gateway.witness()).at(-1);
  if (!call) throw new Error("the provider saw no call");
  return call;
}

test("a plain answer has the fields of a chat completion [CHA-1] [CHA-24] [CHA-25] [CHA-26] [CHA-27]", async () => {
  const reply = await ask(gateway);
  const answer = JSON.parse(reply.text) as Record<string, unknown>;

  expect(reply.status).toBe(200);
  expect(reply.headers["content-type"]).toBe("application/json");
  expect(answer).toMatchObject({
    id: expect.any(String) as string,
    object: "chat.completion",
    model: expect.any(String) as string,
    created: expect.any(Number) as number,
    choices: [{ message: { role: "assistant" } }],
    usage: { completion_tokens: 40, prompt_tokens: expect.any(Number) as number },
  });
  requestIdOf(reply);
});

test("`stream: false` is a plain answer and `stream: true` an event stream [CHA-1] [STR-1] [STR-9] [STR-11] [STR-12]", async () => {
  const plain = await ask(gateway, { stream: false });
  const streamed = await ask(gateway, { stream: true });

  expect(JSON.parse(plain.text)).toMatchObject({ object: "chat.completion" });
  expect(streamed.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  expect(eventsOf(streamed.text).at(-1)).toBe("[DONE]");
  expect(requestIdOf(streamed)).not.toBe(requestIdOf(plain));
});

test("fields the specification does not name reach the provider untouched, at every level [BOD-1] [CHA-10] [CHA-23]", async (context) => {
  onlyStraight(context, "another format has no word for them, and the caller is told which were lost");
  const extras = {
    max_tokens: 100,
    seed: 42,
    nested: { deep: [1, null, { ключ: "значение", emoji: "🚪" }], empty: {} },
    response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } },
    logit_bias: { "50256": -100 },
    metadata: { order: "z,a" },
  };
  const messages = [
    { role: "system", content: "Be brief.", cache_hint: { type: "ephemeral" } },
    { role: "user", name: "ann", content: [{ type: "text", text: "Hello", unheard_of: true }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "42" },
  ];
  const reply = await ask(gateway, { messages, ...extras });
  const { body, model } = await lastCall();

  expect(reply.status).toBe(200);
  expect(body).toEqual({ model, messages, ...extras });
});

const TOOLS = [{ type: "function", function: { name: "f" } }];
const EDGES = [
  { max_tokens: 1, temperature: 0, top_p: 0, stop: "x" },
  { max_tokens: 16_384, temperature: 2, top_p: 1, stop: ["a", "b", "c", "d"] },
  { max_completion_tokens: 5, max_tokens: 5, stop: [], tools: [], tool_choice: "auto" },
  { tools: TOOLS, tool_choice: { type: "function", function: { name: "f" } } },
];

test("a listed field that is null, or an empty list, is as absent, and is not sent [BOD-36]", async (context) => {
  const listed = ["stream", "max_tokens", "temperature", "top_p", "stop", "tools", "tool_choice", "user", "n"];
  const fields = Object.fromEntries(listed.map((name) => [name, null]));
  const messages = [
    { role: "user", content: "Hello", name: null, tool_call_id: null, tool_calls: null, refusal: null },
  ];
  const nulls = await ask(gateway, { ...fields, messages });
  const empty = await ask(gateway, { stop: [], tools: [], messages: [{ ...MESSAGES[0], tool_calls: [] }] });

  expect([nulls.status, empty.status]).toEqual([200, 200]);
  onlyStraight(context, "other formats have other names, which the reference of fidelity lists");
  const told = (await gateway.witness()).slice(-2).map(({ body }) => Object.keys(body as object));
  // A limit is always told, since it was paid for.
  expect(told).toEqual([
    ["model", "messages", "max_tokens"],
    ["model", "messages", "max_tokens"],
  ]);
  expect((await gateway.witness()).at(-2)?.body).toHaveProperty("messages", [{ role: "user", content: "Hello" }]);
});

test("every listed field is accepted at the edges of its range [CHA-12] [CHA-16] [CHA-17] [CHA-18] [CHA-20] [CHA-21]", async () => {
  for (const fields of EDGES) {
    const reply = await ask(gateway, fields);

    expect({ fields, status: reply.status }).toEqual({ fields, status: 200 });
  }
});

test("every listed field is carried as it is [CHA-12] [CHA-16] [CHA-17] [CHA-18] [CHA-20] [CHA-21]", async (context) => {
  onlyStraight(context, "other formats have other names and ranges, which the reference of fidelity lists");
  for (const fields of EDGES) {
    await ask(gateway, fields);
    const { body } = await lastCall();
    // Both names mean one limit, which goes out under the one that providers know.
    const { max_completion_tokens: _, ...carried } = fields;
    const said = Object.entries(carried).filter(([, value]) => !Array.isArray(value) || value.length > 0);

    expect(body).toMatchObject(Object.fromEntries(said));
    expect(body).not.toHaveProperty("max_completion_tokens");
  }
});

test.for(["developer", "system", "user", "assistant", "tool"])(
  "a message may have the role %s [CHA-5]",
  async (role, context) => {
    if (role === "tool") notAt("gemini", context, "it takes a call only after somebody has spoken");
    const call = { id: "a", type: "function", function: { name: "look", arguments: "{}" } };
    const asked = role === "tool" ? [{ role: "assistant", content: null, tool_calls: [call] }] : [];
    const said = { role, content: "x", ...(role === "tool" && { tool_call_id: "a" }) };

    expect((await ask(gateway, { messages: [...asked, said] })).status).toBe(200);
  },
);

test.each([
  ["a string", "x"],
  ["an array of objects", [{ type: "text", text: "x" }]],
  ["null", null],
  ["absent", undefined],
])("a message's content may be %s [CHA-6]", async (_name, content) => {
  expect((await ask(gateway, { messages: [{ role: "user", content }, ...MESSAGES] })).status).toBe(200);
});

test("the published output limit itself is allowed [CHA-13] [MOD-10]", async () => {
  const reply = await ask(gateway, { model: "small", max_tokens: 8 });

  expect(reply.status).toBe(200);
  expect(JSON.parse(reply.text)).toMatchObject({ usage: { completion_tokens: 8 } });
});

test("a token-budget key is served below /token [ORI-2] [ORI-3] [AUT-1]", async () => {
  const reply = await knock(`${gateway.publicUrl}/token/v1/chat/completions`, {
    method: "POST",
    headers: [...bearer(gateway.keys.token_budget), ...JSON_TYPE],
    body: JSON.stringify({ model: "everyday", messages: MESSAGES }),
  });

  expect(reply.status).toBe(200);
});

test("nothing of the caller's headers reaches the provider, and of ours only what it needs [UPS-2] [HDR-3]", async () => {
  const headers = [
    ...bearer(gateway.keys.credit),
    ...JSON_TYPE,
    ...Object.entries({
      "x-forwarded-for": "203.0.113.9",
      cookie: "session=1",
      "openai-organization": "org-mine",
      "x-sim-script": "fail=500",
      "user-agent": "caller",
      "x-request-id": "req_mine",
    }).flat(),
  ];
  const reply = await ask(gateway, {}, headers);
  const call = await lastCall();

  expect(reply.status).toBe(200);
  expect(Object.keys(call.headers).sort()).toEqual(headersTold("chat"));
  expect(call.headers["user-agent"]).toBe("tollgate");
  expect(requestIdOf(reply)).not.toBe("req_mine");
});

test("of the provider's headers none but the listed reach the caller [HDR-14]", async () => {
  const reply = await ask(gateway);

  expect(Object.keys(reply.headers).sort()).toEqual(
    [
      "connection",
      "content-length",
      "content-type",
      "date",
      "request-id",
      "x-request-id",
      "x-tollgate-cost",
      "x-tollgate-fidelity",
    ].sort(),
  );
});

test("what a provider could keep for strangers is not asked of it [BOD-11]", async () => {
  await ask(gateway, { store: true });
  const { store } = (await lastCall()).body as ToldBody;

  expect(store).toBe(storeTold("chat"));
});

test("end users leave as pseudonyms and caches under a prefix, both of the key [BOD-28] [BOD-29]", async (context) => {
  notAt("both", context, "it has no place for the name of a user");
  const fields = { user: "ann", safety_identifier: "ann", prompt_cache_key: "book" };
  const reply = await ask(gateway, fields);
  const body = (await lastCall()).body as Record<string, string>;

  expect(reply.status).toBe(200);
  expect(userTold(body)).toMatch(/^[\w-]{43}$/);
  expect(JSON.stringify(body)).not.toContain('"ann"');
  if (!translates()) expect(body["safety_identifier"]).toBe(body["user"]);
  // One of the formats has no name for a cache, and the caller is told that it was lost.
  if (providerDialect("chat") !== "messages") expect(body["prompt_cache_key"]).toMatch(/^[\w-]{12}-book$/);
});

test("the provider's default tier is had by naming none [BOD-26]", async () => {
  await ask(gateway, { service_tier: "auto" });

  expect((await lastCall()).body).not.toHaveProperty("service_tier");
});

test("usage is asked of the provider whether or not the caller does [UPS-1] [STR-24]", async () => {
  const reply = await ask(gateway, { stream: true });

  const { stream_options: options } = (await lastCall()).body as ToldBody;
  // The other formats always tell it.
  expect(options).toEqual(providerDialect("chat") === "chat" ? { include_usage: true } : undefined);
  expect(reply.text).not.toContain('"usage":{');
});

test.each([
  ["a content type with a charset", ["content-type", "application/json; charset=utf-8"]],
  ["a content type in capitals", ["content-type", "APPLICATION/JSON"]],
])("%s is JSON too [BOD-10]", async (_name, type) => {
  expect((await ask(gateway, {}, [...bearer(gateway.keys.credit), ...type])).status).toBe(200);
});

test("64 levels of nesting are taken [BOD-9]", async () => {
  const deep = `${"[".repeat(63)}${"]".repeat(63)}`;
  const body = `{"model":"everyday","messages":${JSON.stringify(MESSAGES)},"extra":${deep}}`;

  expect((await send(gateway, body)).status).toBe(200);
});
