import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { until } from "../support/until.ts";

type Dialect = "chat" | "responses" | "messages";
const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];
const PAIRS = DIALECTS.flatMap((client) => DIALECTS.map((provider) => ({ client, provider })));
const SCHEMA = { type: "object" as const, properties: { city: { type: "string" } } };
const PIXEL = "iVBORw0KGgo=";

const KINDS: Record<string, string> = {
  words: "sim+tokens=12",
  tool: "sim+tool=weather+tokens=4",
  broken: "sim+tokens=12+fail=error@6",
  slow: "sim+tokens=400+rate=20",
};

let gateway: GatewayProcess;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  const models = DIALECTS.flatMap((dialect) =>
    Object.entries(KINDS).map(([kind, upstream]): [string, TestModel] => [`${dialect}/${kind}`, { upstream, dialect }]),
  );
  gateway = await startGatewayProcess({ models: Object.fromEntries(models) });
  openai = new OpenAI({ apiKey: gateway.keys.credit, baseURL: `${gateway.publicUrl}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: gateway.keys.credit, baseURL: gateway.publicUrl, maxRetries: 0 });
});
afterAll(() => gateway.stop());

/** What a client of any dialect has understood of an answer. */
type Understood = { text: string; calls: { id: string; name: string; input: unknown }[]; stop: string; output: number };

/** Each official client, asked the same: plain, or through its stream helper. */
const ASK: Record<Dialect, (model: string, how: "plain" | "streamed", limit?: number) => Promise<Understood>> = {
  chat: async (model, how, limit = 900) => {
    const tools = [{ type: "function" as const, function: { name: "weather", parameters: SCHEMA } }];
    const body = { model, max_tokens: limit, tools, messages: [{ role: "user" as const, content: "Hello" }] };
    const answer =
      how === "plain"
        ? await openai.chat.completions.create(body)
        : await openai.chat.completions
            .stream({ ...body, stream_options: { include_usage: true } })
            .finalChatCompletion();
    const choice = answer.choices[0];
    const calls = (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === "function"
        ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }]
        : [],
    );
    const stop = choice?.finish_reason ?? "";
    return { text: choice?.message.content ?? "", calls, stop, output: answer.usage?.completion_tokens ?? -1 };
  },
  responses: async (model, how, limit = 900) => {
    const tools = [{ type: "function" as const, name: "weather", parameters: SCHEMA, strict: false }];
    const body = { model, max_output_tokens: limit, tools, input: "Hello" };
    const answer =
      how === "plain" ? await openai.responses.create(body) : await openai.responses.stream(body).finalResponse();
    // The official helper hands a failed answer over like any other.
    if (answer.status === "failed") throw new Error(answer.error?.message);
    const calls = answer.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
        : [],
    );
    const stop = calls.length > 0 ? "tool_calls" : answer.status === "incomplete" ? "length" : "stop";
    return { text: answer.output_text, calls, stop, output: answer.usage?.output_tokens ?? -1 };
  },
  messages: async (model, how, limit = 900) => {
    const tools = [{ name: "weather", input_schema: SCHEMA }];
    const body = { model, max_tokens: limit, tools, messages: [{ role: "user" as const, content: "Hello" }] };
    const answer =
      how === "plain" ? await anthropic.messages.create(body) : await anthropic.messages.stream(body).finalMessage();
    const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const calls = answer.content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
    );
    const words: Record<string, string> = { end_turn: "stop", max_tokens: "length", tool_use: "tool_calls" };
    return { text, calls, stop: words[answer.stop_reason ?? ""] ?? "", output: answer.usage.output_tokens };
  },
};

describe.each(PAIRS)("a $client client on a $provider provider", ({ client, provider }) => {
  test.each(["plain", "streamed"] as const)("reads a %s answer, its end and its usage", async (how) => {
    const { text, stop, output } = await ASK[client](`${provider}/words`, how);

    expect(text.split(" ")).toHaveLength(12);
    expect({ stop, output }).toEqual({ stop: "stop", output: 12 });
  });

  test.each(["plain", "streamed"] as const)("reads a %s call of a tool", async (how) => {
    const { calls, stop } = await ASK[client](`${provider}/tool`, how);

    expect(calls).toMatchObject([{ name: "weather", input: { query: expect.any(String) as string } }]);
    expect(stop).toBe("tool_calls");
  });

  test.each(["plain", "streamed"] as const)("is told that a %s answer was cut by its limit", async (how) => {
    const { text, stop } = await ASK[client](`${provider}/words`, how, 5);

    expect(text.split(" ")).toHaveLength(5);
    expect(stop).toBe("length");
  });

  test("is told of a stream that fails on the way", async () => {
    await expect(ASK[client](`${provider}/broken`, "streamed")).rejects.toThrow();
  });
});

/** A second turn in each dialect: an image, two calls at once and their results. */
const SECOND_TURNS: Record<Dialect, { path: string; body: object }> = {
  chat: {
    path: "/v1/chat/completions",
    body: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }] },
        {
          role: "assistant",
          tool_calls: ["a", "b"].map((id) => ({
            id,
            type: "function",
            function: { name: "weather", arguments: "{}" },
          })),
        },
        { role: "tool", tool_call_id: "a", content: "cold" },
        { role: "tool", tool_call_id: "b", content: "warm" },
      ],
    },
  },
  responses: {
    path: "/v1/responses",
    body: {
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_image", image_url: `data:image/png;base64,${PIXEL}` }] },
        ...["a", "b"].map((id) => ({ type: "function_call", call_id: id, name: "weather", arguments: "{}" })),
        { type: "function_call_output", call_id: "a", output: "cold" },
        { type: "function_call_output", call_id: "b", output: "warm" },
      ],
    },
  },
  messages: {
    path: "/v1/messages",
    body: {
      system: "Be brief.",
      messages: [
        {
          role: "user",
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }],
        },
        { role: "assistant", content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "weather", input: {} })) },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: "cold" },
            { type: "tool_result", tool_use_id: "b", content: "warm" },
          ],
        },
      ],
    },
  },
};

async function post({ client, model, fields = {}, headers = {} }: Posted): Promise<Response> {
  const { path, body } = SECOND_TURNS[client];
  return fetch(`${gateway.publicUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, ...body, ...fields }),
  });
}
type Posted = { client: Dialect; model: string; fields?: object; headers?: Record<string, string> };

test.each(PAIRS)(
  "an image, two calls and their results reach a $provider provider from a $client client, and nothing is lost",
  async ({ client, provider }) => {
    const strict = { "x-tollgate-fidelity": "strict" };
    const answer = await post({ client, model: `${provider}/words`, headers: strict });

    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-tollgate-fidelity")).toBe(client === provider ? "exact" : "translated");
    await answer.text();
  },
);

test.each(PAIRS.filter(({ client, provider }) => client !== provider))(
  "a $client caller is told what a $provider provider was not, or refused when it insists",
  async ({ client, provider }) => {
    const ask = { client, model: `${provider}/words`, fields: { never_heard_of: 1 } };
    const declared = await post(ask);
    const refused = await post({ ...ask, headers: { "x-tollgate-fidelity": "strict" } });

    expect(declared.headers.get("x-tollgate-fidelity")).toBe("translated; dropped=never_heard_of");
    await declared.text();
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("never_heard_of");
  },
);

test.each(PAIRS.filter(({ client, provider }) => client !== provider))(
  "a $client caller that leaves stops a $provider provider",
  async ({ client, provider }) => {
    const model = `${provider}/slow`;
    const before = (await left()).length;
    const leaving = new AbortController();
    const { path, body } = SECOND_TURNS[client];
    const answer = await fetch(`${gateway.publicUrl}${path}`, {
      method: "POST",
      signal: leaving.signal,
      headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
      body: JSON.stringify({ model, ...body, stream: true }),
    });
    await answer.body?.getReader().read();
    leaving.abort();

    await until(async () => (await left()).length > before, "the provider has seen the caller leave");
    expect(Math.max(...(await left()))).toBeLessThan(400);
  },
);

/** The tokens of each slow answer whose caller left. */
async function left(): Promise<number[]> {
  return (await gateway.witness())
    .filter(({ model, ended }) => model === KINDS["slow"] && ended === "caller_gone")
    .map(({ tokensProduced }) => tokensProduced);
}
