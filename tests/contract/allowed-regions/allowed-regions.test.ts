import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { providerDialect, translates } from "../../support/provider-dialect.ts";
import { until } from "../../support/until.ts";
import { type AnyOperation, ask, CHAT, EMBEDDINGS, MESSAGE, modelFor, RESPONSES } from "../operations.ts";
import { type IssuedKey, issueKey, operate } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const OPERATIONS: readonly AnyOperation[] = [CHAT, RESPONSES, MESSAGE, EMBEDDINGS];
const FAILING = "fail=503";

/** The first route fails, wherever it is; the others work. */
function routed(operation: AnyOperation): TestModel {
  const { dialect } = operation;
  const route = (upstream: string, priority: number, region?: string) => ({
    provider: "simulator",
    upstream_model: upstream,
    format: dialect === "embeddings" ? dialect : providerDialect(dialect),
    priority,
    ...(region === undefined ? {} : { region }),
  });
  return modelFor(operation, `nowhere+${FAILING}`, {
    moreRoutes: [
      route(`eu-first+${FAILING}`, 1, "eu"),
      route("us-second", 2, "us"),
      route("untold-third", 3),
      route("eu-last", 4, "eu"),
      route(`ch-alone+${FAILING}`, 5, "ch"),
    ],
  });
}

let gateway: GatewayProcess;
beforeAll(async () => {
  const models = OPERATIONS.map((operation) => [`m-${operation.dialect}`, routed(operation)]);
  gateway = await startGatewayProcess({ models: Object.fromEntries(models) as Record<string, TestModel> });
});
afterAll(() => gateway.stop());

let made = 0;
/** A key below a team below an organisation that pays, and how each of them is told where requests may run. */
async function holders() {
  const account = async (parent: string | null): Promise<string> => {
    const { account: opened } = await operate<{ account: { id: string } }>(gateway, "POST /accounts", {
      name: `Account ${++made}`,
      parent,
    });
    return opened.id;
  };
  const organisation = await account(null);
  await operate(gateway, `POST /accounts/${organisation}/topups`, { amount: "1", reference: organisation });
  const team = await account(organisation);
  const key = await issueKey(gateway, { account: team });
  const set = {
    key: (regions: string[] | null) => operate(gateway, `PATCH /keys/${key.id}`, { regions }),
    account: (regions: string[] | null) => operate(gateway, `POST /accounts/${team}/regions`, { regions }),
    parent: (regions: string[] | null) => operate(gateway, `POST /accounts/${organisation}/regions`, { regions }),
  };
  return { key, set };
}

const HOLDERS = ["key", "account", "parent"] as const;

describe.skipIf(translates()).each(OPERATIONS)("$dialect", (operation) => {
  const send = (key: IssuedKey) =>
    ask(operation, { gateway, key: key.secret, fields: { model: `m-${operation.dialect}` } });
  /** Which routes were asked since, by the beginning of their upstream model. */
  const askedSince = async (calls: number): Promise<string[]> =>
    (await gateway.witness())
      .slice(calls)
      .map(({ body }) => String((body as { model: unknown }).model).split("+")[0] ?? "");
  const refused = async (key: IssuedKey): Promise<string> =>
    expectRefused(operation, await send(key), {
      status: 403,
      code: "key_disabled",
      param: operation.format === "A" ? "model" : null,
    });

  test.each(HOLDERS)(
    "requests of the %s run in its regions alone, also when a route fails [KEY-26]",
    async (holder) => {
      const { key, set } = await holders();
      await set[holder](["eu"]);
      const calls = (await gateway.witness()).length;
      for (let round = 0; round < 4; round++) expect((await send(key)).status).toBe(200);

      const asked = await askedSince(calls);
      expect(new Set(asked)).toEqual(new Set(asked.includes("eu-first") ? ["eu-first", "eu-last"] : ["eu-last"]));
    },
  );

  test("a model without a route there is refused in words, and none is called [KEY-26]", async () => {
    const { key, set } = await holders();
    await set.key(["eu", "us"]);
    await set.account(["us"]);
    await set.parent(["eu"]);
    const calls = (await gateway.witness()).length;

    expect(await refused(key)).toContain("This API key runs in no region that its accounts allow too");
    await set.parent(null);
    await set.account(["mars"]);
    await set.key(["mars"]);
    await until(async () => (await refused(key)).includes("This API key runs only in 'mars'"), "the list is known");
    expect(await askedSince(calls)).toEqual([]);
  });

  test("where all that is allowed fails, nobody else is asked [KEY-26]", async () => {
    const { key, set } = await holders();
    await set.account(["ch"]);
    const calls = (await gateway.witness()).length;

    expect((await send(key)).status).toBe(502);
    expect(new Set(await askedSince(calls))).not.toContain("eu-last");
    expect((await askedSince(calls)).filter((model) => model !== "ch-alone")).toEqual([]);
  });

  test("where nothing is limited, routes are taken in their order, told or untold", async () => {
    const { key } = await holders();
    const reply = await send(key);

    expect(reply.status).toBe(200);
    expect((await gateway.witness()).at(-1)?.body).toMatchObject({ model: "us-second" });
  });

  test("the record says where the request ran", async () => {
    const { key, set } = await holders();
    await set.key(["eu"]);
    const reply = await send(key);
    const id = String(reply.headers["x-request-id"]);
    type Shown = { region: string | null; attempts: { region: string | null; route_id: string }[] };
    let shown: Shown | null = null;
    await until(async () => {
      shown = await operate<Shown>(gateway, `GET /requests/${id}`).catch(() => null);
      return shown !== null;
    }, "the record is written");

    expect(shown).toMatchObject({ region: "eu" });
    expect((shown as unknown as Shown).attempts.every(({ region }) => region === "eu")).toBe(true);
  });

  test("the key is told where its requests run, and which models it can use there", async () => {
    const { key, set } = await holders();
    const headers = { authorization: `Bearer ${key.secret}` };
    const get = async (path: string): Promise<unknown> =>
      (await fetch(`${gateway.publicUrl}${path}`, { headers })).json();
    await set.account(["eu", "us"]);
    await set.key(["eu"]);
    const explained = async () => ((await get("/v1/usage")) as { explanation: string }).explanation;
    await until(async () => (await explained()).includes("Requests of this key run in: eu."), "it is told");

    await set.key(["mars"]);
    await set.account(null);
    await until(async () => ((await get("/v1/models")) as { data: unknown[] }).data.length === 0, "it can use none");
  });
});

test.skipIf(translates())("tokens are counted by providers in the regions alone [KEY-26]", async () => {
  const { key, set } = await holders();
  await set.key(["ch"]);
  const calls = (await gateway.witness()).length;
  const reply = await fetch(`${gateway.publicUrl}/v1/messages/count_tokens`, {
    method: "POST",
    headers: { "x-api-key": key.secret, "content-type": "application/json" },
    body: JSON.stringify({ model: "m-messages", messages: [{ role: "user", content: "hello" }] }),
  });

  expect(reply.status).toBe(200);
  const asked = (await gateway.witness()).slice(calls).map(({ body }) => String((body as { model: unknown }).model));
  expect(asked.filter((model) => !model.startsWith("ch-alone"))).toEqual([]);
});

test("a region is a word, and a list has one at least", async () => {
  const { set } = await holders();
  for (const regions of [[], ["EU"], ["any"], ["a b"], ["x".repeat(41)]]) {
    await expect(set.key(regions)).rejects.toThrow('"code":"invalid_request"');
    await expect(set.account(regions)).rejects.toThrow('"code":"invalid_request"');
  }
});
