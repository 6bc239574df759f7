import { once } from "node:events";
import { type IncomingMessage, request as openRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, expectRefusal, type Reply, requestIdOf } from "../contract/knock.ts";
import { type IssuedKey, operate } from "../contract/operator.ts";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../support/chained-gateway.ts";
import { holderClient, JSON_TYPE } from "../support/holder-client.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const UNAUTHORISED = { status: 401, code: "invalid_credentials", type: "authentication_error" };
const FOREIGN = { status: 400, code: "invalid_request", type: "invalid_request_error", param: "origin" };

const BODIES = {
  "/v1/chat/completions": { model: "chat", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] },
  "/v1/responses": { model: "responses", max_output_tokens: 20, input: "Hello" },
  "/v1/messages": { model: "messages", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] },
} as const;
type Path = keyof typeof BODIES;
const PATHS = Object.keys(BODIES) as Path[];

let stage: ChainedGateway;
const { ask, sessionOf, read, newKey, chat } = holderClient(() => stage);

const own = (): string[] => ["origin", stage.gateway.publicUrl, "sec-fetch-site", "same-origin"];
const generate = (path: Path, headers: readonly string[], fields: object = {}): Promise<Reply> =>
  ask(`/me${path}`, {
    method: "POST",
    headers: [...JSON_TYPE, ...headers],
    body: JSON.stringify({ ...BODIES[path], ...fields }),
  });

type Row = { request_id: string | null; kind: string; credits: string | null; tokens: string | null };
type Recorded = { charged: { credits: string; tokens: string | null }; code: string };
type Me = { credits: { used: number; reserved: number }; requests: { total: number } };

/** What the ledger has about requests of a key. */
const charges = async (secret: string): Promise<Row[]> =>
  (await read<{ data: Row[] }>("/me/ledger", bearer(secret))).data.filter(({ request_id: id }) => id !== null);

/** What was written down about a request, which happens some moments after it. */
async function recorded(id: string, secret: string): Promise<Recorded> {
  let reply: Reply | undefined;
  await until(async () => {
    reply = await ask(`/me/requests/${id}`, { headers: bearer(secret) });
    return reply.status === 200;
  }, "the request is recorded");
  return JSON.parse(reply?.text ?? "") as Recorded;
}

describe.skipIf(whyUnavailable("15"))("generations with the session of a key holder", () => {
  beforeAll(async () => {
    stage = await startChainedGateway({
      TOLLGATE_HOLDER_READS_PER_MINUTE: "10000",
      TOLLGATE_RECORDS_FLUSH_MS: "100",
      TOLLGATE_KEYS_UNKNOWN_PER_MINUTE: "1000",
    });
  });
  afterAll(() => stage.stop());

  test.each(PATHS.flatMap((path) => [[path, false] as const, [path, true] as const]))(
    "POST /me%s is charged to the key of the session exactly once (streamed: %s)",
    async (path, stream) => {
      const { secret } = await newKey();
      const reply = await generate(path, [...(await sessionOf(secret)), ...own()], { stream });
      const id = requestIdOf(reply);
      const rows = await charges(secret);

      expect(reply.status).toBe(200);
      expect(reply.headers["cache-control"]).toBe("no-store");
      expect(reply.headers["cross-origin-resource-policy"]).toBe("same-origin");
      expect(rows).toEqual([expect.objectContaining({ request_id: id, kind: "completed" })]);
      const [{ credits } = { credits: null }] = rows;
      const { charged, code } = await recorded(id, secret);
      const me = await read<Me>("/me", bearer(secret));
      expect([`-${charged.credits}`, code]).toEqual([credits, "ok"]);
      expect(me).toMatchObject({ credits: { used: Number(charged.credits), reserved: 0 }, requests: { total: 1 } });
      expect(me.credits.used).toBeGreaterThan(0);
    },
  );

  test("a key with a token budget generates at the same path, and pays with tokens", async () => {
    const { secret } = await newKey({ mode: "token_budget", credit: undefined, budget: 1_000 });
    const reply = await generate("/v1/chat/completions", [...(await sessionOf(secret)), ...own()]);
    const { usage } = JSON.parse(reply.text) as { usage: { total_tokens: number } };

    expect(reply.status).toBe(200);
    expect(await charges(secret)).toEqual([
      expect.objectContaining({ request_id: requestIdOf(reply), tokens: `-${usage.total_tokens}` }),
    ]);
  });

  test("a request that the key can't pay for is rejected at the cap, and nothing is charged", async () => {
    const { secret } = await newKey({ credit: "0.01" });
    const reply = await generate("/v1/chat/completions", [...(await sessionOf(secret)), ...own()]);

    expectRefusal(reply, { status: 402, code: "insufficient_credit", type: "quota_error" });
    expect(await charges(secret)).toEqual([]);
  });

  test("a limit of the account above holds, down to the last request that fits", async () => {
    const team = await stage.account("Playing");
    await stage.purse(team, 100n * CREDIT);
    const limit = await stage.limit(team, { amount: CREDIT / 5n });
    const secret = await stage.key(team);
    const headers = [...(await sessionOf(secret)), ...own()];
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++)
      statuses.push((await generate("/v1/chat/completions", headers, { max_tokens: 10 })).status);

    const charged = await charges(secret);
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBeGreaterThanOrEqual(402);
    expect(charged.length).toBe(statuses.filter((status) => status === 200).length);
    expect(await stage.usedOf(limit)).toBeLessThanOrEqual(CREDIT / 5n);
    expect(await stage.usedOf(limit)).toBeGreaterThan(0n);
  });

  test("requests with the session and with the key count against one rate", async () => {
    const { secret } = await newKey({ rpm_limit: 2 });
    const headers = [...(await sessionOf(secret)), ...own()];
    const statuses = [
      (await generate("/v1/chat/completions", headers)).status,
      (await chat(secret)).status,
      (await generate("/v1/chat/completions", headers)).status,
      (await generate("/v1/messages", headers)).status,
    ];

    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await charges(secret)).length).toBe(2);
  });

  const endings: [string, (key: IssuedKey) => Promise<unknown>][] = [
    ["revoked", ({ id }) => operate(stage.gateway, `POST /keys/${id}/revoke`)],
    ["suspended", ({ id }) => operate(stage.gateway, `POST /keys/${id}/suspend`)],
    ["disabled", ({ id }) => operate(stage.gateway, `POST /keys/${id}/disable`)],
    ["rotated away", ({ id }) => operate(stage.gateway, `POST /keys/${id}/rotate`, { overlap_ms: 0 })],
  ];

  test.each(endings)("the session of a key that was %s generates nothing", async (_, end) => {
    const key = await newKey();
    const headers = [...(await sessionOf(key.secret)), ...own()];
    expect((await generate("/v1/chat/completions", headers)).status).toBe(200);

    await end(key);

    for (const path of PATHS) expect((await generate(path, headers)).status).toBe(401);
    const { data } = await operate<{ data: Row[] }>(stage.gateway, `GET /keys/${key.id}/journal`);
    expect(data.filter(({ request_id: id }) => id !== null).length).toBe(1);
  });

  test("whoever signed out generates nothing, and so does a key in place of a session", async () => {
    const { secret } = await newKey();
    const cookie = await sessionOf(secret);
    await ask("/me/session", { method: "DELETE", headers: cookie });

    expectRefusal(await generate("/v1/chat/completions", [...cookie, ...own()]), UNAUTHORISED);
    expectRefusal(await generate("/v1/chat/completions", [...bearer(secret), ...own()]), UNAUTHORISED);
    expectRefusal(await generate("/v1/chat/completions", own()), UNAUTHORISED);
    expect(await charges(secret)).toEqual([]);
  });

  test.each([
    ["a page of another site", () => ["origin", "https://evil.example"]],
    ["a page without an origin", () => ["origin", "null"]],
    ["another port of the same host", () => ["origin", "http://127.0.0.1:1"]],
    ["nobody who says where it comes from", () => []],
    ["a form of another site, in a browser that names no origin", () => ["sec-fetch-site", "cross-site"]],
  ] as const)("a session is worth nothing when it is sent by %s", async (_who, headers) => {
    const { secret } = await newKey();
    const cookie = await sessionOf(secret);

    expectRefusal(await generate("/v1/chat/completions", [...cookie, ...headers()]), FOREIGN);
    expect(await charges(secret)).toEqual([]);
  });

  test("the session is a credential below /me only", async () => {
    const { secret } = await newKey();
    const headers = [...(await sessionOf(secret)), ...own(), ...JSON_TYPE];
    const body = JSON.stringify(BODIES["/v1/chat/completions"]);

    expectRefusal(await ask("/v1/chat/completions", { method: "POST", headers, body }), UNAUTHORISED);
    expect((await ask("/token/me/v1/chat/completions", { method: "POST", headers, body })).status).toBe(404);
  });

  test("a stream that its reader stops is charged once, and the record has the ledger's amount", async () => {
    const { secret } = await newKey();
    const headers = [...(await sessionOf(secret)), ...own()];
    const id = await stopped({ model: "endless-chat", headers });
    const { charged, code } = await recorded(id, secret);

    expect(code).toBe("client_gone");
    expect(await charges(secret)).toEqual([
      expect.objectContaining({ request_id: id, kind: "client_gone", credits: `-${charged.credits}` }),
    ]);
    expect((await read<Me>("/me", bearer(secret))).credits.reserved).toBe(0);
  });

  test("an Idempotency-Key holds within a session: a repeat is not charged, and another session can't read the answer", async () => {
    const { secret } = await newKey();
    const [mine, other] = [await sessionOf(secret), await sessionOf(secret)];
    const send = (cookie: readonly string[]): Promise<Reply> =>
      generate("/v1/chat/completions", [...cookie, ...own(), "idempotency-key", "one"]);
    const [first, again, elsewhere] = [await send(mine), await send(mine), await send(other)];

    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.text).toBe(first.text);
    expectRefusal(elsewhere, { status: 409, code: "idempotency_replay_unavailable", type: "idempotency_error" });
    expect((await charges(secret)).length).toBe(1);
  });
});

/** Reads the beginning of a stream and goes. */
async function stopped({ model, headers }: { model: string; headers: readonly string[] }): Promise<string> {
  const url = new URL(`${stage.gateway.publicUrl}/me/v1/chat/completions`);
  const body = JSON.stringify({ ...BODIES["/v1/chat/completions"], model, max_tokens: 5_000, stream: true });
  const request = openRequest(url, {
    method: "POST",
    headers: ["host", url.host, "content-length", String(body.length), ...JSON_TYPE, ...headers],
    agent: false,
  });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let seen = "";
  for await (const chunk of response) {
    seen += String(chunk);
    if (seen.split("data:").length > 6) break;
  }
  return String(response.headers["x-request-id"]);
}
