import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";

type Dialect = "chat" | "responses" | "messages";
type Json = Record<string, unknown>;
const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];
const MOVES = DIALECTS.flatMap((client) =>
  DIALECTS.filter((before) => before !== client).map((before) => ({ client, before })),
);
/** A provider of any dialect that thinks, calls a tool and refuses proofs of thinking that it did not give itself. */
const UPSTREAM = "sim+thinking=6+tools=weather,time+once+tokens=5";

let gateway: GatewayProcess;
beforeAll(async () => {
  const models = DIALECTS.map((dialect): [string, TestModel] => [dialect, { upstream: UPSTREAM, dialect }]);
  gateway = await startGatewayProcess({ models: Object.fromEntries(models) });
});
afterAll(() => gateway.stop());

const PATHS: Record<Dialect, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

async function post(client: Dialect, body: Json, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.publicUrl}${PATHS[client]}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
}

const USER = { role: "user", content: "Hello" };
const PARAMETERS = { type: "object", properties: {} };
const NAMES = ["weather", "time"];

/** The first question of each dialect, and the next with the answer as it came and the results of its calls. */
const TURNS: Record<Dialect, { asked: Json; next: (answer: Json) => Json }> = {
  chat: {
    asked: {
      messages: [USER],
      reasoning_effort: "low",
      tools: NAMES.map((name) => ({ type: "function", function: { name, parameters: PARAMETERS } })),
    },
    next: (answer) => {
      const { message } = (answer["choices"] as { message: { tool_calls: { id: string }[] } }[])[0] ?? {};
      const results = message?.tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "ok" })) ?? [];
      return { messages: [USER, message, ...results] };
    },
  },
  responses: {
    asked: {
      input: [USER],
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      tools: NAMES.map((name) => ({ type: "function", name, parameters: PARAMETERS, strict: false })),
    },
    next: ({ output }) => {
      const items = output as { type: string; call_id: string }[];
      const calls = items.filter(({ type }) => type === "function_call");
      const results = calls.map(({ call_id: id }) => ({ type: "function_call_output", call_id: id, output: "ok" }));
      return { input: [USER, ...items, ...results] };
    },
  },
  messages: {
    asked: {
      messages: [USER],
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
      tools: NAMES.map((name) => ({ name, input_schema: PARAMETERS })),
    },
    next: ({ content }) => {
      const calls = (content as { type: string; id: string }[]).filter(({ type }) => type === "tool_use");
      const results = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
      return { messages: [USER, { role: "assistant", content }, { role: "user", content: results }] };
    },
  },
};

test.each(MOVES)(
  "a $client conversation that a $before provider has thought about goes on with a $client provider",
  async ({ client, before }) => {
    const { asked, next } = TURNS[client];
    const first = await post(client, { model: before, ...asked });
    const second = { ...asked, ...next(first.body), model: client };
    const moved = await post(client, second);
    const refused = await post(client, second, { "x-tollgate-fidelity": "strict" });

    expect(JSON.stringify(second)).toContain("tollgate.");
    expect({ status: moved.status, body: moved.body }).toMatchObject({ status: 200 });
    expect(moved.headers.get("x-tollgate-fidelity")).toMatch(/^exact; dropped=(input|messages)\.\*\./);
    expect(refused.status).toBe(400);
  },
);

test.each(DIALECTS)("a %s conversation that stays goes on as it was, nothing left out", async (client) => {
  const { asked, next } = TURNS[client];
  const first = await post(client, { model: client, ...asked });
  const second = await post(
    client,
    { ...asked, ...next(first.body), model: client },
    { "x-tollgate-fidelity": "strict", "idempotency-key": `stays ${client}` },
  );

  expect(second.status).toBe(200);
  expect(second.headers.get("x-tollgate-fidelity")).toBe("exact");
});

test("a repeat is told what was lost the first time", async () => {
  const body = { model: "messages", messages: [USER], seed: 1 };
  const first = await post("chat", body, { "idempotency-key": "moved once" });
  const again = await post("chat", body, { "idempotency-key": "moved once" });

  expect(first.headers.get("x-tollgate-fidelity")).toBe("translated; dropped=seed");
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.headers.get("x-tollgate-fidelity")).toBe("translated; dropped=seed");
  expect(again.body).toEqual(first.body);
});
