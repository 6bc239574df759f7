import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, expectRefusal, requestIdOf, type Reply } from "../contract/knock.ts";
import { problemsOf } from "../contract/openapi/check-schema.ts";
import type { Description } from "../contract/openapi/description.ts";
import type { IssuedKey } from "../contract/operator.ts";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../support/chained-gateway.ts";
import { holderClient } from "../support/holder-client.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const INVALID = { status: 400, code: "invalid_request", type: "invalid_request_error" };
const NOT_FOUND = { ...INVALID, status: 404, code: "not_found" };
const EVERYTHING = "from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z";

type Sum = { requests: number; credits: string; tokens: string; output_tokens: number; codes: Record<string, number> };
type Series = { step: string; total: Sum; points: Sum[]; groups: { name: string | null; total: Sum }[] };
type Requests = {
  data: { request_id: string; code: string; charged: { credits: string } | null }[];
  next: string | null;
};
type Line = { count: string; unit_price: string; amount: string };
type Arithmetic = { lines: Line[]; sum: string; charged: string; gap: string | null };

let stage: ChainedGateway;
const { ask, sessionOf, read, chat, newKey } = holderClient(() => stage);

/** In nano-credits. */
function nano(credits: string): bigint {
  const [whole = "0", fraction = ""] = credits.replace("-", "").split(".");
  return BigInt(whole + fraction.padEnd(9, "0").slice(0, 9));
}
const sumOf = (amounts: string[]): bigint => amounts.reduce((sum, amount) => sum + nano(amount), 0n);
const linesOf = ({ text }: Reply): string[][] =>
  text
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));

describe.skipIf(whyUnavailable("15"))("what a key holder reads of the own requests", () => {
  let ann: IssuedKey;
  let bob: IssuedKey;
  let sent: Reply[];
  beforeAll(async () => {
    stage = await startChainedGateway({
      TOLLGATE_HOLDER_READS_PER_MINUTE: "10000",
      TOLLGATE_OPERATOR_STATEMENT_TIMEOUT_MS: "2000",
      TOLLGATE_RECORDS_FLUSH_MS: "100",
    });
    [ann, bob] = [await newKey(), await newKey()];
    sent = [
      await chat(ann.secret),
      await chat(ann.secret, "gpt-dear"),
      await chat(ann.secret, "chat", { stream: true }),
      await chat(ann.secret, "no-such-model"),
      await chat(ann.secret, "no-such-model"),
      await ask("/v1/usage", { headers: bearer(ann.secret) }),
    ];
    await chat(bob.secret);
    for (const { secret, requests } of [
      { ...ann, requests: 6 },
      { ...bob, requests: 1 },
    ])
      await until(
        async () => (await read<Series>("/me/series", bearer(secret))).total.requests === requests,
        "they are written",
      );
  });
  afterAll(() => stage.stop());

  test("series, requests, ledger and usage tell the same numbers", async () => {
    const cookie = await sessionOf(ann.secret);
    const series = await read<Series>(`/me/series?by=model&${EVERYTHING}`, cookie);
    const hours = await read<Series>("/me/series?step=1h", cookie);
    const { data } = await read<Requests>("/me/requests", cookie);
    const ledger = linesOf(await ask("/me/ledger.csv", { headers: cookie }));
    const usage = JSON.parse(sent[5]?.text ?? "") as { credits: { used: number } };

    const [names = [], ...rows] = ledger;
    const charges = rows.filter((row) => row[names.indexOf("kind")] === "completed");
    const charged = sumOf(charges.map((row) => row[names.indexOf("credits")] ?? ""));
    expect(charges.length).toBe(3);
    expect(charged).toBeGreaterThan(0n);
    expect(nano(series.total.credits)).toBe(charged);
    expect(hours.total).toEqual(series.total);
    expect([series.step, series.total.requests]).toEqual(["1d", 6]);
    expect(sumOf(series.points.map(({ credits }) => credits))).toBe(charged);
    expect(sumOf(series.groups.map(({ total }) => total.credits))).toBe(charged);
    expect(sumOf(data.flatMap((row) => row.charged?.credits ?? []))).toBe(charged);
    expect(BigInt(Math.round(usage.credits.used * Number(CREDIT)))).toBe(charged);
    expect(series.total.codes).toEqual({ ok: 4, model_not_found: 2 });
    expect(data.map(({ request_id: id }) => id)).toEqual(sent.map(requestIdOf).toReversed());
  });

  test("requests are found by model, code, status and outcome, page by page", async () => {
    const headers = bearer(ann.secret);
    const find = async (query: string) => (await read<Requests>(`/me/requests?${query}`, headers)).data.length;
    const first = await read<Requests>("/me/requests?limit=3", headers);
    const second = await read<Requests>(`/me/requests?limit=3&after=${first.next}`, headers);

    expect([first.data.length, second.data.length, second.next]).toEqual([3, 3, null]);
    expect(await find("model=gpt-dear")).toBe(1);
    expect(await find("code=model_not_found")).toBe(2);
    expect(await find("status=404")).toBe(2);
    expect(await find("outcome=ok")).toBe(4);
    expect(await find("to=2024-01-01T00:00:00Z")).toBe(0);
  });

  test("a request shows its steps, its price line by line and its money, and names no provider", async () => {
    const [whole] = sent as [Reply];
    const reply = await ask(`/me/requests/${requestIdOf(whole)}`, { headers: bearer(ann.secret) });
    const request = JSON.parse(reply.text) as {
      steps: Record<string, number | null>;
      attempts: object[];
      arithmetic: { credits: Arithmetic; tokens: null };
      entries: { kind: string; credits: string }[];
      charged: { credits: string };
    };
    const { lines, sum, charged, gap } = request.arithmetic.credits;

    expect(reply.status).toBe(200);
    expect(request.steps["settled"]).toBeGreaterThan(request.steps["admitted"] ?? 0);
    expect(request.attempts).toMatchObject([{ number: 1, status: 200, failure: null }]);
    expect(lines.length).toBe(2);
    expect(sumOf(lines.map(({ amount }) => amount))).toBe(nano(charged));
    for (const { count, unit_price: price, amount } of lines)
      expect(nano(amount) * 1_000_000n).toBe(BigInt(count) * nano(price));
    expect([sum, gap, request.charged.credits]).toEqual([charged, null, charged]);
    expect(request.entries.map(({ kind }) => kind).toSorted()).toEqual(["charge", "hold", "release"]);
    expect(reply.text).not.toMatch(/acme|127\.0\.0\.1|route_id|"actor"|upstream_model/);
  });

  test("the request of another key, of nobody or of no form is not found, in the same words", async () => {
    const foreign = requestIdOf(sent[0] as Reply);
    const paths = [
      foreign,
      `req_${"0".repeat(32)}`,
      "x",
      `${foreign}/..`,
      `${foreign}%00`,
      "a".repeat(2_000),
      "'; drop",
    ];
    const messages = new Set<string>();
    for (const path of paths) {
      const reply = await ask("/me/requests/x", {
        headers: bearer(bob.secret),
        path: `/me/requests/${path.replaceAll(" ", "%20")}`,
      });
      messages.add(expectRefusal(reply, NOT_FOUND).message);
    }

    expect(messages.size).toBe(1);
    expect((await ask(`/me/requests/${foreign}`)).status).toBe(401);
  });

  test("a cursor of another key leads to the own requests only", async () => {
    const { next } = await read<Requests>("/me/requests?limit=1", bearer(ann.secret));
    const { data } = await read<Requests>(`/me/requests?after=${next}`, bearer(bob.secret));
    const ids = new Set(sent.map(requestIdOf));

    expect(data.filter(({ request_id: id }) => ids.has(id))).toEqual([]);
  });

  test("errors are told by code, with the last request and the fix", async () => {
    const errors = await read<{ requests: number; data: object[] }>("/me/errors", await sessionOf(ann.secret));
    const table = linesOf(await ask("/me/errors.csv?days=31", { headers: bearer(ann.secret) }));

    expect(errors.requests).toBe(6);
    expect(errors.data).toEqual([
      {
        code: "model_not_found",
        count: 2,
        last_at: expect.any(String) as string,
        last_request_id: requestIdOf(sent[4] as Reply),
        last_message: expect.stringContaining("no-such-model") as string,
        cause: expect.stringMatching(/\S/) as string,
        fix: expect.stringContaining("/v1/models") as string,
      },
    ]);
    expect(table.length).toBe(2);
    expect(table[1]?.slice(0, 2)).toEqual(["model_not_found", "2"]);
    expect(await read<{ data: object[] }>("/me/errors", bearer(bob.secret))).toMatchObject({ data: [] });
  });

  test("models have the speed that they had for anybody in the last hour", async () => {
    type Models = { data: { id: string; pricing?: object; speed: { ttft_p50_ms: number } | null }[] };
    const { data } = await read<Models>("/me/models", bearer(bob.secret));

    expect(data.find(({ id }) => id === "chat")).toMatchObject({
      pricing: { unit: "credits_per_million_tokens" },
      speed: { ttft_p50_ms: expect.any(Number) as number },
    });
    expect(data.find(({ id }) => id === "responses")?.speed).toBeNull();
  });

  test("every response is as it is described", async () => {
    const description = await read<Description>("/openapi.json", []);
    const schemas: Record<string, string> = {
      "/me/series?by=code": "HolderSeries",
      "/me/requests": "HolderRequests",
      [`/me/requests/${requestIdOf(sent[2] as Reply)}`]: "HolderRequestDetail",
      [`/me/requests/${requestIdOf(sent[3] as Reply)}`]: "HolderRequestDetail",
      "/me/errors": "HolderErrors",
      "/me/models": "HolderModels",
    };
    for (const [path, name] of Object.entries(schemas)) {
      const schema = description.components.schemas[name] ?? expect.unreachable();
      expect(problemsOf(await read(path, bearer(ann.secret)), schema, description), path).toEqual([]);
    }
  });

  test("a list is a file, with the place of what follows", async () => {
    const headers = bearer(ann.secret);
    const first = await ask("/me/requests.csv?limit=4", { headers });
    const [, next = ""] = /^<(.+)>; rel="next"$/.exec(String(first.headers["link"])) ?? [];
    const rest = await ask(next, { headers });
    const series = await ask("/me/series.csv?by=code", { headers });

    expect(first.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(first.headers["content-disposition"]).toBe('attachment; filename="requests.csv"');
    expect([linesOf(first).length, linesOf(rest).length]).toEqual([5, 3]);
    expect(rest.headers["link"]).toBeUndefined();
    expect(linesOf(series).map((row) => row[1])).toEqual(["code", "ok", "model_not_found"]);
  });

  test.each([
    ["/me/series?step=5m&from=2001-01-01T00:00:00Z", "step"],
    ["/me/series?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
    ["/me/series?by=provider", "by"],
    ["/me/series?from=yesterday", "from"],
    ["/me/requests?after=x", "after"],
    [`/me/requests?after=${"A".repeat(1_001)}`, "after"],
    [`/me/requests?after=${Buffer.from('["requests","x"]').toString("base64url")}`, "after"],
    ["/me/requests?limit=201", "limit"],
    ["/me/ledger.csv?limit=1001", "limit"],
    ["/me/errors?days=400", "days"],
    ["/me/errors?days=-1", "days"],
  ])("what can't be asked for is refused by its name: %.60s", async (path, param) => {
    expectRefusal(await ask(path, { headers: bearer(bob.secret) }), { ...INVALID, param });
  });

  test("no parameter names another key, and the longest range is answered", async () => {
    const headers = bearer(bob.secret);
    for (const name of ["key", "key_id", "keyId", "account", "within", "provider", "agent"])
      expectRefusal(await ask(`/me/requests?${name}=${ann.id}`, { headers }), INVALID);
    const wide = await ask("/me/series?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z", { headers });

    expect(wide.status).toBe(200);
    expect(JSON.parse(wide.text)).toMatchObject({ step: "1d", total: { requests: 1 } });
  });

  test("many reads at once are refused or answered, and generations go on", async () => {
    const paths = ["/me/series?by=model", "/me/requests?code=none", "/me/errors", "/me/models", "/me/ledger.csv"];
    const reading = Array.from({ length: 40 }, (_, no) =>
      ask(paths[no % paths.length] ?? "", { headers: bearer(bob.secret) }),
    );
    const { status } = await chat(bob.secret);
    const statuses = new Set((await Promise.all(reading)).map((reply) => reply.status));

    expect(status).toBe(200);
    expect([...statuses].filter((code) => ![200, 429, 503].includes(code))).toEqual([]);
  });

  test("while records can't be read they get 503 with Retry-After, and generations are served", async () => {
    const { replies, status } = await stage.transaction(async (tx) => {
      await tx.query("lock table request, series, series_total in access exclusive mode");
      const asked = await Promise.all(
        ["/me/series", "/me/requests", `/me/requests/${requestIdOf(sent[0] as Reply)}`, "/me/errors"].map((path) =>
          ask(path, { headers: bearer(ann.secret) }),
        ),
      );
      return { replies: asked, status: (await chat(ann.secret)).status };
    });

    expect(replies.map((reply) => [reply.status, Number(reply.headers["retry-after"]) > 0])).toEqual(
      Array.from({ length: 4 }, () => [503, true]),
    );
    expect(status).toBe(200);
    expect((await ask("/me/models", { headers: bearer(ann.secret) })).status).toBe(200);
  });
});
