import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { notAt, onlyStraight, providerDialect, translates } from "../../support/provider-dialect.ts";
import { requestIdOf } from "../knock.ts";
import { chargesOf, makeKey } from "../operator.ts";
import { ask, modelFor, RESPONSES } from "../operations.ts";
import { headersTold, ordinaryTier, storeTold, userTold } from "../told-provider.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: modelFor(RESPONSES, "sim"),
      normalised: modelFor(RESPONSES, "sim", { conformant: false }),
      small: modelFor(RESPONSES, "sim", { maxOutputTokens: 8 }),
      thinks: modelFor(RESPONSES, "sim+thinking=3+tokens=5"),
      thoughtless: modelFor(RESPONSES, "sim+thoughtless+tokens=5"),
      "declared-thoughtless": modelFor(RESPONSES, "sim+thoughtless+tokens=4", { capabilities: { reasoning: false } }),
      "accented-thoughtless": modelFor(RESPONSES, "sim+thoughtless+tokens=3", { conformant: false }),
    },
  });
});
afterAll(() => gateway.stop());

/** What the provider was last asked. */
async function lastBody(): Promise<Record<string, unknown>> {
  return (await gateway.witness()).at(-1)?.body as Record<string, unknown>;
}

test("a plain answer has the fields of a response [RES-1] [RES-12] [RES-13] [RES-14] [RES-15] [RES-16]", async () => {
  const reply = await ask(RESPONSES, { gateway });

  expect(reply.status).toBe(200);
  expect(reply.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(reply.text)).toMatchObject({
    id: expect.any(String) as string,
    object: "response",
    model: expect.any(String) as string,
    output: [{ type: "message" }],
    usage: { output_tokens: 40 },
    truncation: "disabled",
  });
  requestIdOf(reply);
});

test("`stream: true` is an event stream that ends with the whole response [STR-1] [STR-11] [STR-12] [STR-15]", async () => {
  const reply = await ask(RESPONSES, { gateway, fields: { stream: true } });
  const events = reply.text.split("\n\n").filter((event) => event !== "");

  expect(reply.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  expect(events[0]).toMatch(/^event: response\.created\ndata: \{/);
  expect(events.at(-1)).toMatch(/^event: response\.completed\ndata: \{/);
});

test("fields the specification does not name reach the provider untouched [BOD-1] [RES-11]", async (context) => {
  onlyStraight(context, "another format has no word for them, and the caller is told which were lost");
  const fields = {
    input: [
      { role: "developer", content: "Be brief.", unheard_of: [1, null] },
      { role: "user", content: [{ type: "input_text", text: "Hello", ключ: "значение" }] },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "42" },
    ],
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "low" },
    text: { format: { type: "json_schema", name: "x", schema: {} } },
    metadata: { order: "z,a" },
    max_output_tokens: 100,
    tools: [
      { type: "function", name: "f" },
      { type: "namespace", tools: [{ type: "function" }] },
    ],
    tool_choice: { type: "function", name: "f" },
    instructions: "Be kind.",
  };
  const reply = await ask(RESPONSES, { gateway, fields: { ...fields, model: "normalised" } });

  expect(reply.status).toBe(200);
  expect(await lastBody()).toEqual({ ...fields, model: "sim", store: false });
});

test("nothing is kept at the provider, whatever the caller says [BOD-11]", async () => {
  for (const fields of [{}, { store: true }, { store: false }]) {
    await ask(RESPONSES, { gateway, fields });

    expect((await lastBody())["store"]).toBe(storeTold("responses"));
  }
});

test("the provider is asked for its default tier [BOD-26]", async () => {
  for (const fields of [{}, { service_tier: "auto" }]) {
    await ask(RESPONSES, { gateway, fields });

    expect((await lastBody())["service_tier"]).toBe(ordinaryTier("responses"));
  }
});

test("end users leave as pseudonyms and caches under a prefix, both of the key [BOD-28] [BOD-29]", async (context) => {
  notAt("both", context, "it has no place for the name of a user");
  const fields = { user: "ann", safety_identifier: "ann", prompt_cache_key: "book" };
  const { secret: other } = await makeKey(gateway, { credit: "1" });
  await ask(RESPONSES, { gateway, fields });
  const first = await lastBody();
  await ask(RESPONSES, { gateway, fields });
  const again = await lastBody();
  await ask(RESPONSES, { gateway, fields, key: other });
  const others = await lastBody();

  expect(userTold(first)).toMatch(/^[\w-]{43}$/);
  expect(userTold(others)).not.toBe(userTold(first));
  expect(again).toEqual(first);
  // One of the formats has no name for a cache, and the caller is told that it was lost.
  if (providerDialect("responses") !== "messages") expect(first["prompt_cache_key"]).toMatch(/^[\w-]{12}-book$/);
  const told = Object.keys(fields).filter((name) => name in first);
  expect(told).toEqual(translates() ? expect.any(Array) : Object.keys(fields));
  for (const name of told) expect(others[name]).not.toBe(first[name]);
});

const SAID = { role: "user", content: "Hello" };
const BARE = { type: "reasoning", id: "rs_1", summary: [] };
const ANSWERED = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi." }] };
const outputOf = (text: string): Record<string, unknown>[] =>
  (JSON.parse(text) as { output: Record<string, unknown>[] }).output;

test.each([false, true])(
  "a response is taken back as input, turn after turn, with its thoughts (streamed: %s) [BOD-44]",
  async (stream) => {
    const input: object[] = [SAID];
    for (let turn = 0; turn < 3; turn++) {
      const reply = await ask(RESPONSES, { gateway, fields: { model: "thinks", input, stream } });
      expect(reply.status).toBe(200);
      expect(reply.headers["x-tollgate-fidelity"]).not.toContain("dropped");
      const whole = stream
        ? (/^data: .*"type":"response.completed".*$/m.exec(reply.text)?.[0] ?? "").slice(6)
        : reply.text;
      const { response = JSON.parse(whole) } = JSON.parse(whole) as { response?: { output: object[] } };
      input.push(...(response as { output: object[] }).output, SAID);
    }
    if (translates()) return;
    const sent = (await lastBody())["input"] as Record<string, unknown>[];
    const thought = { encrypted_content: expect.any(String) as string };
    expect(sent.filter(({ type }) => type === "reasoning")).toMatchObject([thought, thought]);
  },
);

test("thoughts are asked for once, beside what the client asks for, and the client is given them [BOD-44]", async (context) => {
  onlyStraight(context, "other formats are asked for what the client's format can carry");
  const include = ["message.output_text.logprobs"];
  const reply = await ask(RESPONSES, { gateway, fields: { model: "thinks", include } });

  expect((await lastBody())["include"]).toEqual([...include, "reasoning.encrypted_content"]);
  expect(outputOf(reply.text)[0]).toMatchObject({ type: "reasoning", encrypted_content: expect.any(String) as string });
});

test("a model that turns out not to reason answers, and is not asked for thoughts again [BOD-44]", async (context) => {
  onlyStraight(context, "other formats are asked for what the client's format can carry");
  const include = async (model: string, apiKey = gateway.keys.credit): Promise<unknown[]> => {
    const known = (await gateway.witness()).length;
    expect((await ask(RESPONSES, { gateway, fields: { model }, key: apiKey })).status).toBe(200);
    return (await gateway.witness()).slice(known).map(({ body }) => (body as { include?: unknown }).include);
  };

  const key = await makeKey(gateway, { credit: "1" });
  expect(await include("thoughtless", key.secret)).toEqual([["reasoning.encrypted_content"], undefined]);
  expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "completed", output_tokens: 5 }]);
  expect(await include("thoughtless")).toEqual([undefined]);
  expect(await include("declared-thoughtless")).toEqual([undefined]);
  expect(await include("accented-thoughtless")).toEqual([undefined]);
});

test("thoughts by their name alone are left out and declared; a strict client is refused [BOD-45]", async () => {
  const input = [SAID, BARE, ANSWERED, SAID];
  const reply = await ask(RESPONSES, { gateway, fields: { model: "thinks", input } });
  const strict = await ask(RESPONSES, {
    gateway,
    fields: { model: "thinks", input },
    headers: ["x-tollgate-fidelity", "strict"],
  });

  expect(reply.status).toBe(200);
  expect(reply.headers["x-tollgate-fidelity"]).toMatch(/; dropped=(\S+,)?input\.\*(,|$)/);
  expect(JSON.stringify(await lastBody())).not.toContain("rs_1");
  expect(strict.status).toBe(400);
  expect(strict.text).toMatch(/input\.\d/);
});

test("the published output limit itself is allowed [RES-8] [MOD-10]", async () => {
  const reply = await ask(RESPONSES, { gateway, fields: { model: "small", max_output_tokens: 8 } });

  expect(JSON.parse(reply.text)).toMatchObject({ status: "incomplete", usage: { output_tokens: 8 } });
});

test("a normalised route answers under the public name [STR-29]", async () => {
  for (const stream of [false, true]) {
    const reply = await ask(RESPONSES, { gateway, fields: { model: "normalised", stream } });

    expect(reply.text).toContain(`"model":"normalised"`);
    expect(reply.text).not.toContain(`"model":"sim"`);
  }
});

test("a token-budget key is served below /token [ORI-2] [ORI-3]", async () => {
  expect((await ask(RESPONSES, { gateway, key: gateway.keys.token_budget, origin: "/token" })).status).toBe(200);
});

test("nothing of the caller's headers reaches the provider [UPS-2] [HDR-3]", async () => {
  const headers = ["openai-organization", "org-mine", "x-forwarded-for", "203.0.113.9", "anthropic-beta", "flag"];
  const reply = await ask(RESPONSES, { gateway, headers });
  const call = (await gateway.witness()).at(-1);

  expect(reply.status).toBe(200);
  expect(Object.keys(call?.headers ?? {}).sort()).toEqual(headersTold("responses"));
});
