import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { eventsOf } from "../../support/sse-client.ts";
import { bearer, knock, type Reply } from "../knock.ts";
import { makeKey } from "../operator.ts";
import { JSON_TYPE } from "../operations.ts";
import { problemsOf } from "./check-schema.ts";
import { type DescribedBody, type Description, headersOf, operationsOf, type Place } from "./description.ts";

/** Which model answers at a path; the examples say `your-model`, for ids are the key's own. [spec 1.3] */
const MODELS: Record<string, string> = {
  "/v1/chat/completions": "chat-model",
  "/v1/responses": "responses-model",
  "/v1/messages": "messages-model",
  "/v1/messages/count_tokens": "messages-model",
};
const PATHS = ["/v1/models", "/v1/models/{id}", "/v1/usage", ...Object.keys(MODELS)];
const ORIGINS = { credit: "", token_budget: "/token" } as const;

let gateway: GatewayProcess;
let description: Description;
/** Keys that may ask once in a minute, use one other model, and pay for nothing. */
let keys: { limited: string; narrow: string; broke: string };
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      "chat-model": { upstream: "sim", dialect: "chat" },
      "responses-model": { upstream: "sim", dialect: "responses" },
      "messages-model": { upstream: "sim", dialect: "messages" },
      "failing-chat-model": { upstream: "sim+fail=503", dialect: "chat" },
      "failing-responses-model": { upstream: "sim+fail=503", dialect: "responses" },
      "failing-messages-model": { upstream: "sim+fail=503", dialect: "messages" },
    },
  });
  const [limited, narrow, broke] = await Promise.all([
    makeKey(gateway, { rpm_limit: 1 }),
    makeKey(gateway, { models: ["sim-fast"] }),
    makeKey(gateway, { credit: "0.000001" }),
  ]);
  keys = { limited: limited.secret, narrow: narrow.secret, broke: broke.secret };
  description = JSON.parse((await knock(`${gateway.publicUrl}/openapi.json`)).text) as Description;
});
afterAll(() => gateway.stop());

type Ask = { key: string | null; origin?: string; body?: unknown; headers?: readonly string[] };

function ask({ method, path }: Place, { key, origin = "", body, headers = [] }: Ask): Promise<Reply> {
  return knock(`${gateway.publicUrl}${origin}${path.replace("{id}", "chat-model")}`, {
    method: method.toUpperCase(),
    headers: [...(key === null ? [] : bearer(key)), ...(body === undefined ? [] : JSON_TYPE), ...headers],
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The request examples of an operation as this gateway can answer them; one without a body where it takes none. */
function examplesOf({ path, operation }: Place): [name: string, body: Record<string, unknown> | undefined][] {
  const examples = operation.requestBody?.content["application/json"]?.examples;
  if (!examples) return [["no body", undefined]];
  return Object.entries(examples).map(([name, { value }]) => [name, { ...(value as object), model: MODELS[path] }]);
}

/** Holds a reply against what the description says of its status: headers, kind of content, content. */
function expectDescribed({ path, operation }: Place, reply: Reply): DescribedBody {
  const response = operation.responses[reply.status];
  const kind = (reply.headers["content-type"] ?? "").replace(/;.*/, "");
  const body = response?.content[kind];
  if (!response || !body) return expect.fail(`${path} answers ${reply.status} ${kind}: ${reply.text}`);
  for (const [name, { required, schema }] of Object.entries(headersOf(response, description))) {
    const value = reply.headers[name.toLowerCase()];
    if (required) expect(value, `${path} ${reply.status} ${name}`).toBeDefined();
    if (value !== undefined) expect(problemsOf(headerValue(value, schema), schema, description)).toEqual([]);
  }
  for (const name of ["retry-after", "x-should-retry"])
    if (name in reply.headers) expect(Object.keys(response.headers)).toContain(name);
  const value: unknown = kind === "application/json" ? JSON.parse(reply.text) : reply.text;
  expect(problemsOf(value, body.schema, description), `${path} ${reply.status}`).toEqual([]);
  return body;
}

/** A header is text; one that is described as a number must read as one. */
function headerValue(value: string | string[], schema: object): unknown {
  const numeric = "type" in schema && (schema.type === "integer" || schema.type === "number");
  return numeric && value !== "" ? Number(value) : value;
}

const placeAt = (path: string): Place =>
  operationsOf(description).find((place) => place.path === path) ?? expect.fail(`${path} is not described`);

describe.each(PATHS)("%s", (path) => {
  test.each(["credit", "token_budget"] as const)(
    "answers every example as described, with a %s key [ORI-3]",
    async (mode) => {
      const place = placeAt(path);
      for (const [, body] of examplesOf(place)) {
        const reply = await ask(place, { key: gateway.keys[mode], origin: ORIGINS[mode], body });
        const described = expectDescribed(place, reply);

        expect(reply.status, reply.text).toBe(200);
        if (body?.["stream"] === true) expectEvents(reply, described);
      }
    },
  );

  test("refuses a key that is none as described", async () => {
    const place = placeAt(path);
    const [[, body] = []] = examplesOf(place);

    expectRefusal(place, await ask(place, { key: "nonsense", body }), { status: 401, code: "invalid_credentials" });
  });

  test("refuses a key over its rate as described", async () => {
    const place = placeAt(path);
    const [[, body] = []] = examplesOf(place);
    await ask(placeAt("/v1/models"), { key: keys.limited });

    expectRefusal(place, await ask(place, { key: keys.limited, body }), { status: 429, code: "rate_limit_exceeded" });
  });
});

describe.each(PATHS.filter((path) => path in MODELS))("%s", (path) => {
  test("refuses a wrong body, an unknown model and a model that is not the key's as described", async () => {
    const place = placeAt(path);
    const [[, body] = []] = examplesOf(place);
    const wrong = await ask(place, { key: gateway.keys.credit, body: { ...body, model: 7 } });
    const unknown = await ask(place, { key: gateway.keys.credit, body: { ...body, model: "your-model" } });
    const foreign = await ask(place, { key: keys.narrow, body });

    expectRefusal(place, wrong, { status: 400, code: "invalid_request" });
    expectRefusal(place, unknown, { status: 404, code: "model_not_found" });
    expectRefusal(place, foreign, { status: 403, code: "key_disabled" });
  });
});

describe.each(["/v1/chat/completions", "/v1/responses", "/v1/messages"])("%s", (path) => {
  test("refuses what cannot be paid for as described", async () => {
    const place = placeAt(path);
    const [[, body] = []] = examplesOf(place);

    expectRefusal(place, await ask(place, { key: keys.broke, body }), { status: 402, code: "insufficient_credit" });
  });

  test("replays an answer, and refuses an Idempotency-Key for another body, as described", async () => {
    const place = placeAt(path);
    const [[, body] = []] = examplesOf(place);
    const again = { key: gateway.keys.credit, body, headers: ["idempotency-key", `described ${path}`] };
    const first = await ask(place, again);
    const replay = await ask(place, again);
    const reused = await ask(place, { ...again, body: { ...body, stream: true } });

    expectDescribed(place, replay);
    expect(replay).toMatchObject({ status: 200, text: first.text, headers: { "idempotent-replayed": "true" } });
    expectRefusal(place, reused, { status: 409, code: "idempotency_key_reuse" });
  });

  test("says a failure of the provider as described", async () => {
    const place = placeAt(path);
    const [[, body] = []] = examplesOf(place);
    const reply = await ask(place, { key: gateway.keys.credit, body: { ...body, model: `failing-${MODELS[path]}` } });

    expectRefusal(place, reply, { status: 502, code: "provider_unavailable" });
  });
});

/** Every event is JSON, and of the described shape where the description gives one. */
function expectEvents(reply: Reply, { "x-event-schema": schema }: DescribedBody): void {
  expect(reply.headers["content-type"]).toMatch(/^text\/event-stream/);
  const unnamed = eventsOf(reply.text).filter((data) => data !== "[DONE]");
  if (schema) expect(unnamed.length).toBeGreaterThan(2);
  for (const data of unnamed) expect(problemsOf(JSON.parse(data), schema ?? {}, description)).toEqual([]);
  if (schema) expect(reply.text.trimEnd().endsWith("data: [DONE]")).toBe(true);
  else expect(reply.text).toMatch(/\nevent: (response\.completed|message_stop)\n/);
}

test("the model list without a key is as described", async () => {
  const place = operationsOf(description).find(({ path }) => path === "/v1/models") ?? expect.fail();

  expect(expectDescribed(place, await ask(place, { key: null }))).toBeDefined();
});

test("usage carries the header of the key's mode and not the other's [USG-30] [USG-31] [USG-34]", async () => {
  const place = operationsOf(description).find(({ path }) => path === "/v1/usage") ?? expect.fail();
  const credit = await ask(place, { key: gateway.keys.credit });
  const tokens = await ask(place, { key: gateway.keys.token_budget, origin: "/token" });
  const named = ({ headers }: Reply): string[] =>
    ["x-service-credit-remaining", "x-ratelimit-remaining-tokens"].filter((name) => name in headers);

  expect([named(credit), named(tokens)]).toEqual([["x-service-credit-remaining"], ["x-ratelimit-remaining-tokens"]]);
});

/** A refusal is described under its status, with its code among the examples. */
function expectRefusal(place: Place, reply: Reply, expected: { status: number; code: string }): void {
  const { examples } = expectDescribed(place, reply);
  const { error } = JSON.parse(reply.text) as { error?: { code: string } };

  expect({ status: reply.status, code: error?.code }, reply.text).toEqual(expected);
  expect(Object.keys(examples ?? {})).toContain(error?.code);
}
