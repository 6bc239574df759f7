import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import type { Reply } from "../knock.ts";
import { issueKey, makeKey } from "../operator.ts";
import { ask, EMBEDDINGS, modelFor } from "../operations.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: modelFor(EMBEDDINGS, "sim-embed"),
      floats: modelFor(EMBEDDINGS, "sim-embed+vectors=floats"),
      unindexed: modelFor(EMBEDDINGS, "sim-embed+vectors=unindexed"),
      turned: modelFor(EMBEDDINGS, "sim-embed+vectors=turned"),
      chat: { upstream: "sim" },
    },
  });
});
afterAll(() => gateway.stop());

type Row = { object: string; index: number; embedding: number[] | string };
type Answer = { object: string; model: string; data: Row[]; usage: object };

const answerOf = (reply: Reply): Answer => {
  expect(reply.status).toBe(200);
  return JSON.parse(reply.text) as Answer;
};
const embed = async (fields: object, key?: string): Promise<Answer> =>
  answerOf(await ask(EMBEDDINGS, { gateway, fields, ...(key === undefined ? {} : { key }) }));

const numbersOf = (embedding: number[] | string): number[] =>
  typeof embedding === "string" ? [...new Float32Array(bytesOf(embedding))] : embedding;
const bytesOf = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text, "base64")).buffer;

describe("every form of input gets one vector for each, in its order [EMB-2] [EMB-5]", () => {
  test.each<[string, unknown, number]>([
    ["a text", "Hello", 1],
    ["texts", ["Hello", "Hello", "a world"], 3],
    ["a list of tokens", [9906, 1917], 1],
    ["lists of tokens", [[9906], [1917, 0], [9906]], 3],
  ])("%s", async (_form, input, count) => {
    const answer = await embed({ input });

    expect(answer).toMatchObject({ object: "list", model: "plain" });
    expect(answer.data.map(({ object, index }) => ({ object, index }))).toEqual(
      Array.from({ length: count }, (_, index) => ({ object: "embedding", index })),
    );
    expect(answer.data.every(({ embedding }) => embedding.length === 256)).toBe(true);
  });

  test("the same input has the same vector, and another has another", async () => {
    const { data } = await embed({ input: ["one", "two", "one"] });

    expect(data[0]?.embedding).toEqual(data[2]?.embedding);
    expect(data[0]?.embedding).not.toEqual(data[1]?.embedding);
  });

  test("as many inputs as are taken at once", async () => {
    const { data, usage } = await embed({ input: Array.from({ length: 2_048 }, () => "a"), dimensions: 2 });

    expect(data).toHaveLength(2_048);
    expect(usage).toEqual({ prompt_tokens: 2_048, total_tokens: 2_048 });
  });
});

test("what the provider gives is passed on to the byte, but for the model's name and the usage [EMB-5] [EMB-6]", async () => {
  const reply = await ask(EMBEDDINGS, { gateway, fields: { input: ["a", "b"] } });
  const given = await fetch(`${gateway.simulatorUrl}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: "Bearer any", "content-type": "application/json" },
    body: JSON.stringify({ model: "sim-embed", input: ["a", "b"] }),
  });

  expect(reply.text).toBe((await given.text()).replace('"model":"sim-embed"', '"model":"plain"'));
});

test("`dimensions` and `encoding_format` reach the provider, and base64 is little-endian floats of four bytes [EMB-4] [EMB-6]", async () => {
  const floats = await embed({ input: "x", dimensions: 8 });
  const text = await embed({ input: "x", dimensions: 8, encoding_format: "base64" });

  expect(floats.data[0]?.embedding).toHaveLength(8);
  expect(numbersOf(text.data[0]?.embedding ?? "")).toEqual(floats.data[0]?.embedding);
});

test("a provider that gives numbers where base64 was asked for is made to fit [EMB-6]", async () => {
  const input = ["one", "two"];
  const [straight, made] = await Promise.all(
    ["plain", "floats"].map((model) => embed({ model, input, encoding_format: "base64" })),
  );

  expect(made?.data).toEqual(straight?.data);
});

test.each(["unindexed", "turned"])("vectors that come %s are put in their order [EMB-5]", async (model) => {
  const input = ["one", "two", "three"];

  expect((await embed({ model, input })).data).toEqual((await embed({ input })).data);
});

test("`user` is told as a name that nobody knows, and nothing else of the caller is [EMB-4]", async () => {
  const { secret, id } = await makeKey(gateway);
  await embed({ input: "x", user: "alice@example.com" }, secret);
  const call = (await gateway.witness()).at(-1);

  expect(call).toMatchObject({ path: "/v1/embeddings", model: "sim-embed" });
  expect(JSON.stringify(call)).not.toMatch(/alice/);
  expect(JSON.stringify(call)).not.toContain(id);
  expect(JSON.stringify(call)).not.toContain(secret);
});

test("a token-budget key pays a token for each of its input, under its own origin [EMB-1] [EMB-10]", async () => {
  const key = await issueKey(gateway, { mode: "token_budget", budget: 100_000 });
  const reply = await ask(EMBEDDINGS, {
    gateway,
    key: key.secret,
    origin: "/token",
    fields: { input: [[1, 2, 3], [4]] },
  });

  expect(answerOf(reply).usage).toEqual({ prompt_tokens: 4, total_tokens: 4 });
  expect(reply.headers["x-tollgate-charged-tokens"]).toBe("4");
});

test("the list of models tells which make embeddings, and sells nothing but input for them [EMB-8]", async () => {
  const response = await fetch(`${gateway.publicUrl}/v1/models`);
  const { data } = (await response.json()) as { data: { id: string }[] };
  const listed = (name: string) => data.find(({ id }) => id === name);

  expect(listed("plain")).toMatchObject({
    capabilities: { embeddings: true },
    max_output_tokens: null,
    pricing: { unit: "credits_per_million_tokens", input: 1 },
  });
  expect(listed("plain")).not.toHaveProperty("pricing.output");
  expect(listed("chat")).not.toHaveProperty("capabilities.embeddings");
});
