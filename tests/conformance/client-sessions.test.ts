import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, expectRefusal } from "../contract/knock.ts";
import { openStream, readAll } from "../contract/open-stream.ts";
import { CHAT, MESSAGE, type Operation, RESPONSES } from "../contract/operations.ts";
import { operate } from "../contract/operator.ts";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../support/chained-gateway.ts";
import { cookieOf, holderClient, JSON_TYPE } from "../support/holder-client.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { type SignedIn, signIns } from "../support/signed-in.ts";
import { findBreaches, gatherCrowd } from "../support/signed-in-crowd.ts";
import { openSocket } from "../support/socket-client.ts";
import { until } from "../support/until.ts";

const UNAUTHORISED = { status: 401, code: "invalid_credentials", type: "authentication_error" };
const OVER = "The session is not valid: it has expired or was ended. Refresh it, or sign in again.";

let stage: ChainedGateway;
let people: ReturnType<typeof signIns>;
const { ask, chat, read } = holderClient(() => stage);

/** Somebody with an account in a team of an organisation that pays. */
async function somebody(name: string): Promise<SignedIn & { limit: number; purse: number; account: string }> {
  const organisation = await stage.account(`Org of ${name}`);
  const team = await stage.account("Team", organisation);
  const account = await stage.account(name, team);
  const purse = await stage.purse(organisation, 100n * CREDIT);
  const limit = await stage.limit(account, { amount: 5n * CREDIT });
  return { ...(await people.signIn(`${name}@acme.example`, account)), limit, purse, account };
}

describe.skipIf(whyUnavailable("15"))("client sessions", () => {
  beforeAll(async () => {
    stage = await startChainedGateway({ TOLLGATE_WEBSOCKET_ENABLED: "on" });
    people = signIns(stage);
  }, 180_000);
  afterAll(() => stage?.stop());

  test("a session generates on the base URL for credits and is charged wherever its account counts", async () => {
    const { tokens, limit, purse } = await somebody("ann");

    const reply = await chat(tokens.accessToken);

    expect(reply.status).toBe(200);
    const used = await Promise.all([limit, purse].map(stage.usedOf));
    expect(used[0]).toBeGreaterThan(0n);
    expect(used).toEqual([used[0], used[0]]);
    const headers = [...bearer(tokens.accessToken), ...JSON_TYPE];
    const body = JSON.stringify({ model: "chat", messages: [{ role: "user", content: "Hello" }] });
    expectRefusal(await ask("/token/v1/chat/completions", { method: "POST", headers, body }), UNAUTHORISED);
  });

  test("a limit of the account that is used up rejects the session as it rejects a key", async () => {
    const { tokens } = await somebody("bea");

    const reply = await chat(tokens.accessToken, "chat", { max_tokens: 8_000 });

    expect(reply.status).toBe(402);
    expect(reply.text).toContain("bea has 5 of 5 credits left this month");
  });

  test("neither a refresh token nor a made-up access token is let in, and both are told the same", async () => {
    const { tokens } = await somebody("cem");
    const other = tokens.accessToken.replace(/.$/, (last) => (last === "0" ? "1" : "0"));

    for (const secret of [tokens.refreshToken, other])
      expect(expectRefusal(await chat(secret), UNAUTHORISED).message).toBe(OVER);
  });

  test("an access token whose time is over is rejected; the refreshed one goes on", async () => {
    const { tokens } = await somebody("dan");
    expect((await chat(tokens.accessToken)).status).toBe(200);
    await stage.query("update key_secret set expires_at = now() - interval '1 second' where key_id = $1", [
      tokens.sessionId,
    ]);

    await until(async () => (await chat(tokens.accessToken)).status === 401, "the token is over");
    expect(expectRefusal(await chat(tokens.accessToken), UNAUTHORISED).message).toBe(OVER);
    const next = await people.refresh(tokens.refreshToken);
    expect((await chat(next.accessToken)).status).toBe(200);
  });

  test("a repeated request gets its stored response with the refreshed token, too", async () => {
    const { tokens, limit } = await somebody("eve");
    const send = (token: string) =>
      ask("/v1/chat/completions", {
        method: "POST",
        headers: [...bearer(token), ...JSON_TYPE, "idempotency-key", "the-same-one"],
        body: JSON.stringify({ model: "chat", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] }),
      });
    const first = await send(tokens.accessToken);
    const used = await stage.usedOf(limit);

    const again = await send((await people.refresh(tokens.refreshToken)).accessToken);

    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.text).toBe(first.text);
    expect(await stage.usedOf(limit)).toBe(used);
  });

  type Ended = SignedIn & { account: string; limit: number };
  const ENDS: [string, (who: Ended) => Promise<unknown>][] = [
    [
      "an operator ends it",
      ({ email, tokens }) => operate(stage.gateway, `DELETE /people/${email}/client-sessions/${tokens.sessionId}`),
    ],
    ["the client signs out", ({ tokens }) => people.sessions.revoke(tokens.refreshToken)],
    ["its person is removed", ({ email }) => operate(stage.gateway, `DELETE /people/${email}`)],
    [
      "its person gets another account",
      async ({ email, account }) => operate(stage.gateway, `PATCH /people/${email}`, { account: await above(account) }),
    ],
    ["its account is suspended", ({ account }) => operate(stage.gateway, `POST /accounts/${account}/suspend`)],
    [
      "its refresh token is used twice",
      async ({ tokens }) => {
        await people.refresh((await people.refresh(tokens.refreshToken)).refreshToken);
        expect(await people.sessions.refresh(tokens.refreshToken)).toMatchObject({ reason: "reused" });
      },
    ],
  ];
  const above = async (account: string): Promise<string> =>
    (await stage.query<{ id: string }>("select parent_id as id from account where id = $1", [account]))[0]?.id ?? "";

  test.each(ENDS.map(([when, end], place) => ({ when, end, place })))(
    "when $when, its streams are cut and its next request is rejected",
    async ({ when, end, place }) => {
      const who = await somebody(`ended${place}`);
      const { accessToken } = who.tokens;
      const operation: Operation = [CHAT, RESPONSES, MESSAGE][place % 3] ?? CHAT;
      const stream = await openStream(operation, {
        gateway: stage.gateway,
        key: accessToken,
        fields: { model: `endless-${operation.dialect}`, [operation.limitField]: 3_000 },
      });
      const first = once(stream, "data");
      const reading = readAll(stream);
      await first;

      await end(who);

      const { text, broken } = await reading;
      expect(broken).toBe(false);
      expect(text).toContain(
        when === "its account is suspended"
          ? "The account of this session was suspended while the request was in progress. Ask an operator to resume it."
          : "This session was ended while the request was in progress. Sign in again.",
      );
      expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
      expectRefusal(await chat(accessToken), UNAUTHORISED);
      // What was delivered is charged, like that of a key.
      await until(async () => (await stage.usedOf(who.limit)) > 0n, "it is charged");
    },
  );

  test("a socket whose session ends is told so in its response, and closed", async () => {
    const { tokens, email } = await somebody("wes");
    const socket = await openSocket({ url: stage.gateway.publicUrl, key: tokens.accessToken });
    socket.send({ type: "response.create", model: "endless-responses", max_output_tokens: 3_000, input: "Hello" });
    while ((await socket.next()).type !== "response.output_text.delta");

    await operate(stage.gateway, `DELETE /people/${email}/client-sessions`);

    expect(JSON.stringify((await socket.response()).at(-1))).toContain(
      "This session was ended while the request was in progress. Sign in again.",
    );
    expect((await socket.closed).code).toBe(1008);
  });

  test("ending one session of a person leaves the streams of their others alone", async () => {
    const { personId, email, tokens } = await somebody("fay");
    const other = await people.begin(personId, "Codex");
    const stream = await openStream(CHAT, {
      gateway: stage.gateway,
      key: tokens.accessToken,
      fields: { model: "endless-chat", max_tokens: 100 },
    });
    const reading = readAll(stream);

    await operate(stage.gateway, `DELETE /people/${email}/client-sessions/${other.sessionId}`);

    expectRefusal(await chat(other.accessToken), UNAUTHORISED);
    expect((await reading).text).toContain("[DONE]");
    expect((await chat(tokens.accessToken)).status).toBe(200);
  });

  type Me = {
    key: { id: string };
    limits: { account: string; available: string }[];
    person: object | null;
    session: object | null;
  };
  type Sessions = { data: { id: string; client: string; is_current: boolean }[] };

  test("a signed-in person sees their account, limits and sessions at /me, with a token or a cookie", async () => {
    const { personId, email, tokens } = await somebody("gil");
    const other = await people.begin(personId, "Codex");
    const reply = await ask("/me/session", {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ key: tokens.accessToken }),
    });
    expect(reply.status).toBe(201);

    for (const headers of [bearer(tokens.accessToken), cookieOf(reply)]) {
      const me = await read<Me>("/me", headers);
      expect(me.person).toEqual({ email, name: email, account: "Org of gil/Team/gil" });
      expect(me.limits.map(({ account, available }) => [account, available])).toEqual(
        expect.arrayContaining([["gil", "5"]]),
      );
      const { data } = await read<Sessions>("/me/sessions", headers);
      expect(data.map(({ id, client, is_current }) => [id, client, is_current])).toEqual([
        [other.sessionId, "Codex", false],
        [tokens.sessionId, "Claude Code", true],
      ]);
    }

    // The browser goes on while the client gets other tokens, and ends with the session.
    await stage.query("update key_secret set expires_at = now() - interval '1 second' where key_id = $1", [
      tokens.sessionId,
    ]);
    expect((await ask("/me", { headers: cookieOf(reply) })).status).toBe(200);
    expect((await ask("/me", { headers: bearer(tokens.accessToken) })).status).toBe(401);
    await people.sessions.end(personId, { id: tokens.sessionId });
    expect((await ask("/me", { headers: cookieOf(reply) })).status).toBe(401);
  });

  test("a person ends one of their sessions, or the others, and nobody else's", async () => {
    const { personId, tokens } = await somebody("hal");
    const others = [await people.begin(personId), await people.begin(personId), await people.begin(personId)];
    const stranger = await somebody("ida");
    const end = async (path: string, headers = bearer(tokens.accessToken)) =>
      (await ask(path, { method: "DELETE", headers })).text;

    expect(await end(`/me/sessions/${stranger.tokens.sessionId}`)).toBe('{"ended":0}');
    expect(await end("/me/sessions/nonsense")).toBe('{"ended":0}');
    expect(await end(`/me/sessions/${others[0]?.sessionId}`)).toBe('{"ended":1}');
    expect(await end("/me/sessions")).toBe('{"ended":2}');

    for (const { accessToken } of others) expectRefusal(await chat(accessToken), UNAUTHORISED);
    expect((await chat(tokens.accessToken)).status).toBe(200);
    expect((await chat(stranger.tokens.accessToken)).status).toBe(200);
    const foreign = await ask("/me/sessions", {
      method: "DELETE",
      headers: [...bearer(tokens.accessToken), "origin", "https://elsewhere.example"],
    });
    expect(foreign.status).toBe(400);
  });

  test("a key has no sessions at /me and ends none", async () => {
    const account = await stage.account("Plain");
    await stage.purse(account, CREDIT);
    const key = await stage.key(account);

    expect(await read<Me>("/me", bearer(key))).toMatchObject({ person: null });
    expect(await read<Sessions>("/me/sessions", bearer(key))).toEqual({ data: [] });
    expect((await ask("/me/sessions", { method: "DELETE", headers: bearer(key) })).text).toBe('{"ended":0}');
  });

  test("operators list sessions by person, and a session gets no secret, place or money of its own", async () => {
    const { email, tokens, account } = await somebody("jon");

    const list = await operate<{ data: object[] }>(stage.gateway, `GET /client-sessions?person=${email}`);
    expect(list.data).toMatchObject([{ id: tokens.sessionId, email, client: "Claude Code", account_id: account }]);
    for (const [call, body] of [
      [`POST /keys/${tokens.sessionId}/rotate`, { overlap_ms: 0 }],
      [`POST /keys/${tokens.sessionId}/move`, { account: await above(account) }],
    ] as const)
      await expect(operate(stage.gateway, call, body)).rejects.toThrow("is a client session");
    expect((await chat(tokens.accessToken)).status).toBe(200);
  });

  test("operators list sessions by account, with their last use, and find none among the keys", async () => {
    const { tokens, account, email } = await somebody("lou");
    const other = await somebody("max");
    const team = await above(account);
    type Listed = { data: { id: string; last_used_at: string | null }[] };
    const list = (place: string) => operate<Listed>(stage.gateway, `GET /client-sessions?account=${place}`);
    expect(await list(team)).toMatchObject({ data: [{ id: tokens.sessionId, last_used_at: null }] });

    expect((await chat(tokens.accessToken)).status).toBe(200);
    await until(async () => (await list(account)).data[0]?.last_used_at !== null, "its use is counted");

    const used = Date.parse((await list(account)).data[0]?.last_used_at ?? "");
    expect(Date.now() - used).toBeLessThan(6 * 60_000);
    expect((await list(other.account)).data).toMatchObject([{ id: other.tokens.sessionId }]);
    await expect(list("nowhere")).rejects.toThrow("There is no account");
    type Tree = { account: { keys: number }; keys: object[] };
    expect(await operate<Tree>(stage.gateway, `GET /accounts/${account}`)).toMatchObject({
      account: { keys: 0 },
      keys: [],
    });
    const { key } = await operate<{ key: { person_id: string | null } }>(
      stage.gateway,
      `GET /keys/${tokens.sessionId}`,
    );
    const { person } = await operate<{ person: { id: string } }>(stage.gateway, `GET /people/${email}`);
    expect(key.person_id).toBe(person.id);
  });

  test("log, metrics, audit log and records have no piece of a token", async () => {
    const { email, tokens } = await somebody("kim");
    const next = await people.refresh(tokens.refreshToken);
    expect((await chat(next.accessToken)).status).toBe(200);
    await chat(next.refreshToken);
    await operate(stage.gateway, `DELETE /people/${email}/client-sessions`);
    await chat(next.accessToken);

    const admin = { headers: { authorization: `Bearer ${stage.gateway.adminToken}` } };
    const tellAll = async (): Promise<string> => {
      const told = await Promise.all(
        ["/metrics", "/admin/v1/audit?limit=1000", "/admin/v1/requests?limit=1000", "/admin/v1/client-sessions"].map(
          async (path) => (await fetch(`${stage.gateway.adminUrl}${path}`, admin)).text(),
        ),
      );
      return [stage.output(), ...told].join("\n");
    };
    // Lines and records are written a moment after the response.
    await until(async () => (await tellAll()).includes(tokens.sessionId), "the session is in the records");
    const written = await tellAll();
    for (const token of [tokens, next].flatMap((pair) => [pair.accessToken, pair.refreshToken]))
      for (let at = 8; at + 10 <= token.length; at += 5) expect(written).not.toContain(token.slice(at, at + 10));
  });

  test("forty people of four groups with three sessions each spend no more than any limit above them", async () => {
    // A request costs about twenty tokens, a thousandth of a credit each; together they want far more than is allowed.
    const { tokens, used, groupCaps } = await gatherCrowd(stage, people);

    const statuses: number[] = [];
    const send = async (token: string): Promise<void> => {
      for (let turn = 0; turn < 4; turn++) statuses.push((await chat(token, "chat", { max_tokens: 20 })).status);
    };
    for (let from = 0; from < tokens.length; from += 40) await Promise.all(tokens.slice(from, from + 40).map(send));

    // Every level held, each level is the sum of those below it, and the purse paid exactly this.
    const spent = await used();
    expect(findBreaches(spent, groupCaps)).toEqual([]);
    // It was the limits that stopped them, after they were used.
    expect(new Set(statuses)).toEqual(new Set([200, 402, 429].filter((status) => statuses.includes(status))));
    expect(statuses.filter((status) => status === 402).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(40);
    expect(spent.organisation).toBeGreaterThan(2n * CREDIT);
  }, 180_000);
});
