import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, knock, type Reply, requestIdOf } from "../knock.ts";
import { makeKey } from "../operator.ts";

type Model = { id: string; provider?: string; max_output_tokens?: number | null } & Record<string, unknown>;

const PRICED = ["east-large", "east-small", "sim-fast", "sim-steady", "sim-tools"];
const CATALOGUE = [...PRICED, "west-unpriced"].sort();

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      "east-large": { upstream: "sim", provider: "east", maxOutputTokens: 32 },
      "east-small": { upstream: "sim", provider: "east", maxOutputTokens: null, outputCeiling: 64 },
      "west-unpriced": { upstream: "sim", provider: "west", price: null },
      "west-boundless": { upstream: "sim", provider: "west", maxOutputTokens: null },
    },
  });
});
afterAll(() => gateway.stop());

const list = (headers: string[] = [], prefix = ""): Promise<Reply> =>
  knock(`${gateway.publicUrl}${prefix}/v1/models`, { headers });
const modelsOf = (reply: Reply): Model[] => {
  expect(reply.status).toBe(200);
  return (JSON.parse(reply.text) as { data: Model[] }).data;
};
const idsOf = (reply: Reply): string[] =>
  modelsOf(reply)
    .map(({ id }) => id)
    .sort();

test("without a credential the list is the public catalogue, at both origins [AUT-8] [MOD-14] [ORI-3]", async () => {
  expect(idsOf(await list())).toEqual(CATALOGUE);
  expect(idsOf(await list([], "/token"))).toEqual(CATALOGUE);
});

test("the list has exactly the fields of a list [MOD-1] [MOD-2]", async () => {
  const reply = await list();

  expect(reply.headers["content-type"]).toBe("application/json");
  expect(Object.keys(JSON.parse(reply.text) as object).sort()).toEqual(["data", "object"]);
  expect(JSON.parse(reply.text)).toMatchObject({ object: "list", data: expect.any(Array) as unknown[] });
});

test("every model has its fields in their types [MOD-4] [MOD-5] [MOD-6] [MOD-7] [MOD-8] [MOD-9] [MOD-11]", async () => {
  const models = modelsOf(await list());

  expect(models).toHaveLength(CATALOGUE.length);
  for (const model of models) {
    expect(model).toMatchObject({ id: expect.stringMatching(/./) as string, object: "model" });
    expect(model["owned_by"]).toBeTypeOf("string");
    expect(Number.isInteger(model["created"])).toBe(true);
    for (const name of ["display_name", "tagline", "provider"])
      if (name in model) expect(model[name]).toBeTypeOf("string");
    for (const name of ["context_window", "max_output_tokens"])
      if (model[name] !== null && name in model) expect(model[name]).toSatisfy(isCount);
    if ("capabilities" in model) expect(model["capabilities"]).toBeTypeOf("object");
  }
});

test("prices are published as the caller pays them [MOD-12]", async () => {
  const found = modelsOf(await list()).find(({ id }) => id === "east-large");

  expect(found?.["pricing"]).toMatchObject({ unit: "credits_per_million_tokens", input: 1, output: 4 });
});

test.each([
  ["bearer", (key: string) => bearer(key)],
  ["x-api-key", (key: string) => ["x-api-key", key]],
])("a key sent as %s is answered at its own origin [AUT-1] [AUT-2] [ORI-1] [ORI-2]", async (_name, header) => {
  expect(idsOf(await list(header(gateway.keys.credit)))).toEqual(PRICED);
  expect(idsOf(await list(header(gateway.keys.token_budget), "/token"))).toEqual(CATALOGUE);
});

test("a key scoped to a provider sees only that provider's models [MOD-15]", async () => {
  const { secret } = await makeKey(gateway, { provider_scope: "east" });

  expect(idsOf(await list(bearer(secret)))).toEqual(["east-large", "east-small"]);
});

test("a key entitled to some models sees only those, within its scope [MOD-16]", async () => {
  const entitled = await makeKey(gateway, { models: ["east-small", "sim-fast"] });
  const both = await makeKey(gateway, { provider_scope: "east", models: ["east-small", "sim-fast"] });

  expect(idsOf(await list(bearer(entitled.secret)))).toEqual(["east-small", "sim-fast"]);
  expect(idsOf(await list(bearer(both.secret)))).toEqual(["east-small"]);
});

test("every listed model can be requested with that key, up to its published limit [MOD-3] [MOD-10] [MOD-17]", async () => {
  const { secret } = await makeKey(gateway, { provider_scope: "east", credit: "1" });

  for (const { id, max_output_tokens: limit } of modelsOf(await list(bearer(secret)))) {
    const reply = await ask(id, { secret, limit: limit ?? 64 });
    expect({ id, status: reply.status }).toEqual({ id, status: 200 });
  }
});

test("a model without a price is public without pricing, and neither listed nor sold on credit", async () => {
  const { credit, token_budget: budget } = gateway.keys;
  const found = modelsOf(await list()).find(({ id }) => id === "west-unpriced");
  expect(found).not.toHaveProperty("pricing");
  expect(idsOf(await list(bearer(credit)))).not.toContain("west-unpriced");
  expect(idsOf(await list(bearer(budget), "/token"))).toContain("west-unpriced");

  const refused = await ask("west-unpriced", { secret: credit });
  const served = await ask("west-unpriced", { secret: budget, prefix: "/token" });

  expect([refused.status, served.status]).toEqual([404, 200]);
  expect(JSON.parse(refused.text)).toMatchObject({
    error: { code: "model_not_found", param: "model", message: expect.stringContaining("no price") as string },
  });
});

test("a model without any limit of output is neither listed nor served [interface decision 17]", async () => {
  for (const [secret, prefix] of [
    [gateway.keys.credit, ""],
    [gateway.keys.token_budget, "/token"],
  ] as const) {
    expect(idsOf(await list(bearer(secret), prefix))).not.toContain("west-boundless");
    expect((await ask("west-boundless", { secret, prefix })).status).toBe(404);
  }
});

test("the request id is the gateway's own, new each time, and never the caller's [HDR-1] [HDR-2] [HDR-3]", async () => {
  const headers = ["x-request-id", "req_ffffffffffffffffffffffffffffffff", "request-id", "mine"];
  const ids = [requestIdOf(await list(headers)), requestIdOf(await list(headers))];

  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain("req_ffffffffffffffffffffffffffffffff");
});

test("a query string is no obstacle", async () => {
  expect((await knock(`${gateway.publicUrl}/v1/models?limit=1000`)).status).toBe(200);
});

const ask = (model: string, { secret, prefix = "", limit = 8 }: { secret: string; prefix?: string; limit?: number }) =>
  knock(`${gateway.publicUrl}${prefix}/v1/chat/completions`, {
    method: "POST",
    headers: [...bearer(secret), "content-type", "application/json"],
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], max_tokens: limit }),
  });

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 1;
