import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import { createSecret } from "../../core/secret/secret.ts";
import type { Database } from "../../db/database.ts";

const acme = { name: "acme", base_url: "https://api.example.com/v1", credential: "stored", secret: "sk-of-this-test" };
const route = { provider: "acme", upstream_model: "large-1", format: "chat" };
const large = { id: "large", context_window: 1000, max_output_tokens: 100, price: { input: "1", output: "2" }, route };

let database: Database;
let admin: AdminApp;
const post = (path: string, body: object) => admin.ask("POST", `/admin/v1/${path}`, body);
const made = async (order: object) => (await post("keys", order)).json<{ key: { id: string } }>().key.id;

beforeAll(async () => {
  database = await emptyDatabase();
  admin = buildAdmin(database, { credentialKey: createSecret(randomBytes(32).toString("base64")) });
  await post("providers", acme);
  await post("models", large);
});
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

type Call = [method: "POST" | "DELETE", path: string, body?: object];

test.each<[what: string, way: string, call: Call]>([
  ["a provider that is there", "`replace`", ["POST", "providers", { ...acme, secret: "sk-another" }]],
  [
    "a stored credential for another host",
    "`secret` and `replace`",
    [
      "POST",
      "providers",
      { name: "acme", base_url: "https://api.example.org/v1", credential: "stored", replace: true },
    ],
  ],
  ["a provider that is needed", "?routes=withdraw", ["DELETE", "providers/acme"]],
  ["the last route of a model", "?last=remove", ["DELETE", "models/large/routes/acme%2Flarge-1"]],
])("the refusal of %s names %s, which lets it through over the API", async (_, way, [method, path, body]) => {
  const reply = await admin.ask(method, `/admin/v1/${path}`, body);

  expect([reply.statusCode, reply.json<{ error: { message: string } }>().error.message]).toEqual([
    409,
    expect.stringContaining(`or ${way} in the API.`),
  ]);
});

test("what bars a key or its money is told in words that are true over the API too", async () => {
  const credit = await made({ mode: "credit" });
  const tokens = await made({ mode: "token_budget" });
  await post(`keys/${credit}/suspend`, {});
  const refusals = await Promise.all([
    post(`keys/${credit}/disable`, {}),
    post(`keys/${credit}/budget`, { budget: 1, reference: "a" }),
    post(`keys/${tokens}/topups`, { amount: "1", reference: "a" }),
  ]);

  expect(refusals.map(({ statusCode }) => statusCode)).toEqual([409, 409, 409]);
  for (const { body } of refusals) expect(body).not.toContain("tollgate ");
  expect(refusals[0].body).toContain("Resume it first.");
});

test.each([
  [
    "POST",
    "keys",
    { mode: "credit", expires_at: "2027-01-31" },
    "expires_at: Input should be a date and time with its zone",
  ],
  ["POST", "models/large/prices", { input: "1", effective_from: "soon" }, "such as 2027-01-31T00:00:00Z"],
  ["GET", "keys?after=tgc_a034Fq4J", undefined, "after: Input should be the `next` of an earlier page of this list"],
] as const)("%s %s with %j is told what it should be", async (method, path, body, words) => {
  const reply = await admin.ask(method, `/admin/v1/${path}`, body);

  expect([reply.statusCode, reply.json<{ error: { message: string } }>().error.message]).toEqual([
    400,
    expect.stringContaining(words),
  ]);
});
