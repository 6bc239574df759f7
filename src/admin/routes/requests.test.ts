import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordedGateway, startRecordedGateway } from "../../../tests/support/recorded-gateway.ts";
import { whyUnavailable } from "../../../tests/support/postgres.ts";
import { until } from "../../../tests/support/until.ts";
import type { RequestDetailJson, RequestRowJson } from "../../contract/requests.ts";
import type { SeriesJson } from "../../contract/series.ts";

const reason = whyUnavailable("newest");
const recorded = test.skipIf(reason !== null);

type MadeKey = Awaited<ReturnType<RecordedGateway["makeKey"]>>;
type Row = Record<string, unknown>;
let it: RecordedGateway;
let member: MadeKey;
let lone: MadeKey;
let poor: MadeKey;
let budget: MadeKey;
let team: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  if (reason !== null) return;
  it = await startRecordedGateway();
  const account = async (name: string, parent?: string): Promise<string> => {
    const { body } = await it.admin("POST", "/admin/v1/accounts", { name, ...(parent && { parent }) });
    return (body as { account: { id: string } }).account.id;
  };
  team = await account("team");
  await it.admin("POST", `/admin/v1/accounts/${team}/topups`, { amount: "1000", reference: "paid" });
  const person = await account("person", team);
  member = await it.makeKey({ mode: "credit", account: person });
  lone = await it.makeKey({ mode: "credit", credit: "1000" });
  poor = await it.makeKey({ mode: "credit" });
  budget = await it.makeKey({ mode: "token_budget", budget: 100_000_000 });
  const again = { headers: { "idempotency-key": "once-and-again" } };
  const sent = {
    ok: await it.ask("fast", member.secret),
    streamed: await it.ask("fast", member.secret, { stream: true }),
    cancelled: await it.ask("endless", member.secret, { stream: true }, { disconnects: true }),
    unknownKey: await it.ask("fast", "tgc_000_a-secret-that-nobody-has"),
    poor: await it.ask("fast", poor.secret),
    unknownModel: await it.ask("no-such-model", lone.secret),
    down: await it.ask("down", member.secret),
    shaky: await it.ask("shaky", lone.secret),
    cutoff: await it.ask("cutoff", member.secret, { stream: true }),
    first: await it.ask("fast", lone.secret, {}, again),
    replay: await it.ask("fast", lone.secret, {}, again),
    tokens: await it.ask("fast", budget.secret, {}, { path: "/token/v1/chat/completions" }),
    byOperator: await cancelledByOperator(),
  };
  for (const [name, { requestId }] of Object.entries(sent)) {
    ids[name] = requestId;
    await it.recordOf(requestId);
  }
  await it.summed();
}, 180_000);
afterAll(() => it?.stop());

async function cancelledByOperator(): Promise<{ requestId: string }> {
  const stream = it.ask("endless", lone.secret, { stream: true });
  const live = async () =>
    ((await it.admin("GET", `/admin/v1/live?key=${lone.id}`)).body as { data: { request_id: string }[] }).data[0];
  await until(async () => (await live()) !== undefined, "the request is in flight");
  await it.admin("POST", `/admin/v1/live/${(await live())?.request_id}/cancel`);
  return stream;
}

async function get<Body>(path: string): Promise<Body> {
  const { status, body } = await it.admin("GET", `/admin/v1/${path}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Body;
}
const list = async (query: string): Promise<RequestRowJson[]> =>
  (await get<{ data: RequestRowJson[] }>(`requests?limit=1000&${query}`)).data;
const show = (name: string): Promise<RequestDetailJson> => get(`requests/${ids[name]}`);

recorded("every kind of end has a record that is listed under its code", async () => {
  const codes = Object.fromEntries((await list("")).map(({ request_id: id, code }) => [id, code]));

  expect(Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, codes[id]]))).toEqual({
    ok: "ok",
    streamed: "ok",
    cancelled: "client_gone",
    unknownKey: "invalid_credentials",
    poor: "insufficient_credit",
    unknownModel: "model_not_found",
    down: "upstream_error",
    shaky: "ok",
    cutoff: "upstream_error",
    first: "ok",
    replay: "ok",
    tokens: "ok",
    byOperator: "request_cancelled",
  });
});

recorded("a shown charge is the journal's, and its lines add up to it or say why not", async () => {
  for (const [name, id] of Object.entries(ids)) {
    const { money, charged } = await show(name);
    const [charge] = await it.database.query<Row>("select * from charge_in_words where hold_id = $1", [id.slice(4)]);
    if (charge === undefined) {
      expect(money, name).toBeNull();
      continue;
    }
    const credits = charge["credits"] as bigint | null;
    expect(money?.credits === null ? null : nano(money?.credits?.charged ?? ""), name).toBe(credits);
    const tokens = charge["tokens"] as bigint | null;
    expect(money?.tokens?.charged ?? null, name).toBe(tokens === null ? null : String(tokens));
    expect(charged?.credits ?? null, name).toBe(money?.credits?.charged ?? null);
    for (const work of [money?.credits, money?.tokens].filter((one) => one != null)) {
      expect(work.gap === null, name).toBe(work.sum === work.charged);
      const sum = work.lines.reduce((all, { amount }) => all + Number(amount), 0);
      expect(Math.abs(sum - Number(work.sum)), name).toBeLessThan(1e-8);
    }
    expect(money?.entries.map(({ kind }) => kind).slice(0, 3), name).toEqual(["hold", "release", "charge"]);
  }
});

/** Nano-credits of a decimal. */
function nano(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(9, "0"));
}

recorded("a request shows its steps, attempts and rejection as they were", async () => {
  const [down, shaky, poorOne, replay] = [
    await show("down"),
    await show("shaky"),
    await show("poor"),
    await show("replay"),
  ];

  expect(down.attempts).toMatchObject([{ provider: "acme", failure: "server_error" }, { provider: "bolt" }]);
  expect(down.money?.credits).toMatchObject({ charged: "0" });
  expect(shaky.attempts).toMatchObject([{ failure: "server_error" }, { provider: "bolt", failure: null }]);
  expect(poorOne.refusal).toContain("credit");
  expect([poorOne.steps.checked !== null, poorOne.steps.admitted, poorOne.money]).toEqual([true, null, null]);
  expect(replay).toMatchObject({ replay: true, money: null });
  expect((await it.admin("GET", "/admin/v1/requests/req_019a84d2c6b87c1e9d3f0a5b7e2c4d60")).status).toBe(404);
});

recorded("sums of requests, series and reports of usage agree for a key and for an account", async () => {
  for (const [scope, usage] of [
    [`key=${member.id}`, `keys/${member.id}/usage?days=2`],
    [`account=${team}`, `accounts/${team}/usage?days=2`],
    [`key=${budget.id}`, `keys/${budget.id}/usage?days=2`],
  ] as const) {
    const rows = await list(scope);
    const { total } = await get<SeriesJson>(`series?${scope}&by=model`);
    const { days } = await get<{ days: { credits: string; tokens: string }[] }>(usage);

    const credits = rows.reduce((all, { charged }) => all + nano(charged?.credits ?? "0"), 0n);
    const tokens = rows.reduce((all, { charged }) => all + Number(charged?.tokens ?? 0), 0);
    expect(nano(total.credits)).toBe(credits);
    expect(days.reduce((all, day) => all + nano(day.credits), 0n)).toBe(credits);
    expect(Number(total.tokens)).toBe(tokens);
    expect(days.reduce((all, day) => all + Number(day.tokens), 0)).toBe(tokens);
    expect(total.requests).toBe(rows.reduce((all, { times }) => all + times, 0));
    expect(credits + BigInt(tokens)).toBeGreaterThan(0n);
  }
});

recorded("what /v1/usage says of a key is what its series says", async () => {
  const response = await fetch(`${it.served.url}/v1/usage`, { headers: { authorization: `Bearer ${lone.secret}` } });
  const usage = (await response.json()) as { credits?: { used?: string } };
  const { total } = await get<SeriesJson>(`series?key=${lone.id}`);

  expect(JSON.stringify(usage)).toContain(total.credits);
});

recorded("exports have a row for each request and for each step", async () => {
  const csvOf = async (path: string): Promise<string[]> => {
    const response = await fetch(`${it.served.adminUrl}/admin/v1/${path}`, {
      headers: { authorization: `Bearer ${it.environment["TOLLGATE_ADMIN_TOKEN"]}` },
    });
    expect(response.headers.get("content-type")).toMatch(/^text\/csv/);
    return (await response.text()).trimEnd().split("\r\n");
  };

  expect(await csvOf(`requests/export.csv?account=${team}`)).toHaveLength((await list(`account=${team}`)).length + 1);
  const { points } = await get<SeriesJson>(`series?account=${team}`);
  expect(await csvOf(`series.csv?account=${team}`)).toHaveLength(points.length + 1);
});

recorded("series of a model and of a provider are what their groups say", async () => {
  const byModel = await get<SeriesJson>(`series?account=${team}&by=model`);
  const byProvider = await get<SeriesJson>(`series?account=${team}&by=provider`);
  expect(byModel.groups.length).toBeGreaterThan(1);
  for (const { id, total } of byModel.groups.filter((group) => group.id)) {
    const alone = await get<SeriesJson>(`series?account=${team}&model=${id}&by=code`);
    expect(alone).toMatchObject({ model: id, provider: null, total });
    expect(alone.groups.reduce((sum, group) => sum + group.total.requests, 0)).toBe(total.requests);
  }
  for (const { id, total } of byProvider.groups.filter((group) => group.id))
    expect((await get<SeriesJson>(`series?account=${team}&provider=${id}`)).total).toEqual(total);
  const keys = await get<SeriesJson>(`series?account=${team}&model=fast&by=key`);
  expect(keys.groups.map(({ id }) => id)).toEqual([member.id]);
  expect((await get<SeriesJson>("series?model=no-such-model")).total.requests).toBe(0);
});

recorded("series by key and by account name them and leave nothing out", async () => {
  const byKey = await get<SeriesJson>(`series?account=${team}&by=key`);
  const byAccount = await get<SeriesJson>(`series?account=${team}&by=account`);
  const ofAll = await get<SeriesJson>("series?by=account&top=1");

  expect(byKey.groups.map(({ id }) => id)).toEqual([member.id]);
  expect(byAccount.groups.map(({ name }) => name)).toEqual(["person"]);
  expect(byAccount.groups[0]?.total.requests).toBe(byAccount.total.requests);
  expect(ofAll.groups.map(({ id }) => id)).toEqual([team, null]);
  expect(ofAll.groups.reduce((all, { total }) => all + total.requests, 0)).toBe(ofAll.total.requests);
});

recorded("what a key does once it was moved away is not in the series of the account it left", async () => {
  await it.admin("POST", "/admin/v1/accounts", { name: "elsewhere", parent: team });
  const before = await get<SeriesJson>("series?account=team/person&by=key");
  const moved = await it.admin("POST", `/admin/v1/keys/${member.id}/move`, { account: "team/elsewhere" });
  expect([moved.status, before.groups.map(({ id }) => id)]).toEqual([200, [member.id]]);
  const { requestId } = await it.ask("fast", member.secret);
  await it.recordOf(requestId);

  const after = await get<SeriesJson>("series?account=team/person&by=key");
  expect([after.total.requests, after.groups]).toEqual([before.total.requests, []]);
});
