import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, expectRefusal, type FormatAError } from "../contract/knock.ts";
import { issueKey, operate } from "../contract/operator.ts";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../support/chained-gateway.ts";
import { holderClient } from "../support/holder-client.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const READS_PER_MINUTE = 30;
const INVALID = { status: 400, code: "invalid_request", type: "invalid_request_error" };

let stage: ChainedGateway;
const { ask, sessionOf, read, chat, newKey } = holderClient(() => stage);

type Me = {
  key: { mode: string };
  requests: { total: number };
  limits: { account: string | null; kind: string; unit: string }[];
  session: { expires_at: string } | null;
};
type Ledger = { data: { kind: string; request_id: string | null; credits: string }[]; next: string | null };

describe.skipIf(whyUnavailable("15"))("the key holder's API", () => {
  beforeAll(async () => {
    stage = await startChainedGateway({ TOLLGATE_HOLDER_READS_PER_MINUTE: String(READS_PER_MINUTE) });
  });
  afterAll(() => stage.stop());

  test("a token-budget key is served at the same place, as a session and as a bearer key", async () => {
    const { secret } = await issueKey(stage.gateway, { mode: "token_budget", budget: 5_000 });
    await chat(secret);

    const [bySession, byKey] = await Promise.all([
      read<Me>("/me", await sessionOf(secret)),
      read<Me>("/me", bearer(secret)),
    ]);

    expect(bySession.key.mode).toBe("token_budget");
    expect(byKey).toEqual({ ...bySession, session: null });
    expect(byKey.limits).toMatchObject([{ account: null, kind: "limit", unit: "tokens" }]);
    expect(byKey.requests.total).toBe(1);
  });

  test("a key under accounts sees its own requests and every limit above it", async () => {
    const org = await stage.account("Acme");
    await stage.limit(org, { amount: 50n * CREDIT });
    await stage.purse(org, 100n * CREDIT);
    const team = await stage.account("Search", org);
    const [ann, bob] = [await stage.key(team), await stage.key(team)];
    await Promise.all([chat(ann), chat(bob), chat(bob)]);

    const me = await read<Me>("/me", bearer(ann));
    const { data } = await read<Ledger>("/me/ledger", bearer(ann));

    expect(me.limits).toMatchObject([
      { account: "Acme", kind: "limit" },
      { account: "Acme", kind: "purse" },
    ]);
    expect(me.requests.total).toBe(1);
    expect(data).toHaveLength(1);
  });

  test("the ledger lists what was funded and charged, page by page, without the names of operators", async () => {
    const { id, secret } = await newKey();
    await operate(stage.gateway, `POST /keys/${id}/topups`, { amount: "5", reference: "invoice-7" });
    const charged = await chat(secret);
    const cookie = await sessionOf(secret);

    const first = await read<Ledger>("/me/ledger?limit=2", cookie);
    const second = await read<Ledger>(`/me/ledger?limit=2&after=${first.next}`, cookie);

    const entries = [...first.data, ...second.data];
    expect(entries.map(({ kind }) => kind)).toEqual(["completed", "purchase", "purchase"]);
    expect(entries[0]?.request_id).toBe(charged.headers["x-request-id"]);
    expect(JSON.stringify(entries)).toContain("invoice-7");
    expect(JSON.stringify(entries)).not.toMatch(/actor|"admin"/);
    expect(second.next).toBeNull();
  });

  test("a page of another key's ledger is refused", async () => {
    const [mine, theirs] = await Promise.all([newKey(), newKey()]);
    await operate(stage.gateway, `POST /keys/${theirs.id}/topups`, { amount: "5", reference: "second" });
    const { next } = await read<Ledger>("/me/ledger?limit=1", bearer(theirs.secret));

    const reply = await ask(`/me/ledger?after=${next}`, { headers: bearer(mine.secret) });

    expectRefusal(reply, { ...INVALID, param: "after" });
  });

  test("models are those that the key may use, with their prices", async () => {
    const { secret } = await newKey({ models: ["chat"] });

    const models = await read<{ data: { id: string; pricing: object }[] }>("/me/models", await sessionOf(secret));

    expect(models.data).toMatchObject([
      { id: "chat", pricing: { unit: "credits_per_million_tokens", input: 1000, output: 1000 } },
    ]);
  });

  test("HEAD works wherever GET does", async () => {
    const cookie = await sessionOf((await newKey()).secret);

    for (const path of [
      "/me",
      "/me/ledger",
      "/me/ledger.csv",
      "/me/series",
      "/me/requests",
      "/me/errors",
      "/me/models",
    ]) {
      const reply = await ask(path, { method: "HEAD", headers: cookie });
      expect({ path, status: reply.status, text: reply.text }).toEqual({ path, status: 200, text: "" });
    }
  });

  test.each([
    ["/me/legder", "/me/ledger"],
    ["/me/nothing-like-it", "/me"],
  ])("an unknown path names the nearest: %s", async (path, nearest) => {
    const { message } = expectRefusal(await ask(path), { ...INVALID, status: 404, code: "not_found" });

    expect(message).toContain(`Did you mean ${nearest}?`);
  });

  test("a method that a path does not take is named with those that it does", async () => {
    const reply = await ask("/me/session");

    expectRefusal(reply, { ...INVALID, status: 405, code: "method_not_allowed" });
    expect(reply.headers["allow"]).toBe("POST, DELETE");
  });

  test("reads have a limit of their own and do not count against the key's requests per minute", async () => {
    const { secret } = await newKey({ rpm_limit: 1 });
    const headers = bearer(secret);

    const statuses: number[] = [];
    for (let count = 0; count < READS_PER_MINUTE; count++) statuses.push((await ask("/me/models", { headers })).status);
    const over = await ask("/me", { headers });

    expect(new Set(statuses)).toEqual(new Set([200]));
    const { error } = JSON.parse(over.text) as FormatAError;
    expect([over.status, error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(error.message).toContain("the limit is 30 per minute");
    expect(Number(over.headers["retry-after"])).toBeGreaterThan(0);
    expect((await chat(secret)).status).toBe(200);
  });

  test("one key holds back no other: only so many of its reads run at once", async () => {
    const { secret } = await newKey();
    const headers = bearer(secret);
    const [other, third] = [await newKey(), await newKey()];
    const statusOf = async (key: string): Promise<number> => (await ask("/v1/models", { headers: bearer(key) })).status;
    expect(await statusOf(other.secret)).toBe(200);

    // One that is not known is looked up before it is limited. Word of its creation, by which the process forgets it, comes before that of a
    // later change.
    await operate(stage.gateway, `POST /keys/${other.id}/revoke`);
    await until(async () => (await statusOf(other.secret)) === 401, "word of the changes has come");
    expect(await statusOf(secret)).toBe(200);
    const statuses: number[] = [];
    const read = async (): Promise<void> => void statuses.push((await ask("/me/ledger", { headers })).status);
    const reads = await stage.transaction(async (tx) => {
      // Those that are let in wait for this, and the others are refused meanwhile.
      await tx.query("lock table funding in access exclusive mode");
      const all = Array.from({ length: 20 }, read);
      await until(() => statuses.length >= 12, "all but eight are refused");
      expect(statuses).toEqual(Array(12).fill(429));
      // Two of the eight hold a connection, and operators have four.
      const { status } = await ask("/me/models", { headers: bearer(third.secret) });
      expect(status).toBe(200);
      return { all };
    });
    await Promise.all(reads.all);

    // On a busy machine, one that was let in may have waited for as long as it may.
    expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  });

  test("reads wait on the connections of operators, and generations do not wait for them", async () => {
    const { secret } = await newKey();
    const cookie = await sessionOf(secret);
    const waiting = "select application_name as name from pg_stat_activity where wait_event_type = 'Lock'";

    const { reads, names, status } = await stage.transaction(async (tx) => {
      await tx.query("lock table key_session in access exclusive mode");
      const reading = Array.from({ length: 6 }, () => ask("/me", { headers: cookie }));
      await until(async () => (await stage.query(waiting)).length >= 4, "every connection of operators waits");
      const found = await stage.query<{ name: string }>(waiting);
      return { reads: reading, names: found.map(({ name }) => name), status: (await chat(secret)).status };
    });

    expect(new Set(names)).toEqual(new Set(["tollgate-operator"]));
    expect(status).toBe(200);
    expect(new Set((await Promise.all(reads)).map((reply) => reply.status))).toEqual(new Set([200]));
  });
});
