import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordedGateway, startRecordedGateway } from "../../../tests/support/recorded-gateway.ts";
import { whyUnavailable } from "../../../tests/support/postgres.ts";
import { until } from "../../../tests/support/until.ts";
import { REQUEST_STEPS } from "../../core/request/request-facts.ts";
import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS } from "../../core/request/series.ts";
import { countIn, emptyCounts } from "../../records/histogram.ts";

const reason = whyUnavailable("newest");
const recorded = test.skipIf(reason !== null);

let it: RecordedGateway;
type MadeKey = Awaited<ReturnType<RecordedGateway["makeKey"]>>;
let rich: MadeKey;
let poor: MadeKey;
let slow: MadeKey;
let stopped: MadeKey;
let budget: MadeKey;
let member: MadeKey;
let team: string;
let person: string;

beforeAll(async () => {
  if (reason !== null) return;
  it = await startRecordedGateway();
  const account = async (name: string, parent?: string): Promise<string> =>
    (
      (await it.admin("POST", "/admin/v1/accounts", { name, ...(parent && { parent }) })).body as {
        account: { id: string };
      }
    ).account.id;
  team = await account("team");
  person = await account("person", team);
  rich = await it.makeKey({ mode: "credit", credit: "1000" });
  poor = await it.makeKey({ mode: "credit" });
  slow = await it.makeKey({ mode: "credit", credit: "1000", rpm_limit: 1 });
  stopped = await it.makeKey({ mode: "credit", credit: "1" });
  budget = await it.makeKey({ mode: "token_budget", budget: 100_000_000 });
  await it.admin("POST", `/admin/v1/accounts/${team}/limits`, { unit: "credit", amount: "100", period: "month" });
  member = await it.makeKey({ mode: "credit", account: person });
  await it.admin("POST", `/admin/v1/keys/${stopped.id}/disable`);
});
afterAll(() => it?.stop());

type Row = Record<string, unknown>;

/** The steps that a record has, and that each is no earlier than the one before. */
function stepsOf(row: Row): string[] {
  const found = REQUEST_STEPS.filter((step) => row[`${step}_us`] !== null);
  const times = found.map((step) => row[`${step}_us`] as number);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  return [...found];
}

const GENERATED = [...REQUEST_STEPS];
const chargeOf = async (row: Row): Promise<Row | undefined> =>
  (await it.database.query<Row>("select * from charge_in_words where hold_id = $1", [row["id"]]))[0];

recorded.for([
  ["fast", false],
  ["fast", true],
  ["answers", false],
  ["answers", true],
  ["thinker", false],
  ["thinker", true],
] as const)(
  "a completed request to %s, streamed %s, has a record with every step and its charge",
  async ([model, stream]) => {
    const sent = await it.ask(
      model,
      rich.secret,
      { stream },
      { headers: { "user-agent": "claude-cli/2.0.1 (external)" } },
    );

    const row = await it.recordOf(sent.requestId);
    expect(row).toMatchObject({
      key_id: rich.id,
      accounts: [],
      model,
      model_asked: null,
      provider: "acme",
      status: 200,
      code: "ok",
      outcome: "completed",
      streamed: stream,
      replay: false,
      attempts: null,
      refusal: null,
      agent: "Claude Code",
      client: "claude-cli/2.0.1 (external)",
      times: 1,
    });
    expect(stepsOf(row)).toEqual(GENERATED);
    const charge = await until(async () => (await chargeOf(row)) !== undefined, "it is charged").then(() =>
      chargeOf(row),
    );
    expect(row).toMatchObject({
      input: charge?.["input"],
      output: charge?.["output"],
      credits: charge?.["credits"],
      held_credits: charge?.["granted_credits"],
      price_version: charge?.["price_version"],
    });
    expect(row["output"]).toBeGreaterThan(0);
  },
);

recorded("a record names the accounts above the key and both units that it paid in", async () => {
  const inTeam = await it.recordOf((await it.ask("fast", member.secret)).requestId);
  const ofBudget = await it.recordOf(
    (await it.ask("fast", budget.secret, {}, { path: "/token/v1/chat/completions" })).requestId,
  );

  expect(inTeam).toMatchObject({ key_id: member.id, accounts: [team, person], tokens: null });
  expect(inTeam["credits"]).toBeGreaterThan(0n);
  expect(ofBudget).toMatchObject({ key_id: budget.id, credits: null });
  expect(ofBudget["tokens"]).toBe(BigInt((ofBudget["input"] as number) + (ofBudget["output"] as number)));
});

recorded("a refused request has a record with the message that its client got", async () => {
  await it.ask("fast", slow.secret);
  const refusals = {
    400: await it.ask("fast", rich.secret, { max_tokens: -5 }),
    401: await it.ask("fast", "tgc_000_a-secret-that-nobody-has"),
    402: await it.ask("fast", poor.secret),
    404: await it.ask("no-such-model", rich.secret),
    429: await it.ask("fast", slow.secret),
    403: await it.ask("fast", stopped.secret),
  };

  const expected: Record<keyof typeof refusals, { code: string; key_id: string | null; steps: string[] }> = {
    400: { code: "invalid_request", key_id: rich.id, steps: ["authenticated", "closed"] },
    401: { code: "invalid_credentials", key_id: null, steps: ["closed"] },
    402: { code: "insufficient_credit", key_id: poor.id, steps: ["authenticated", "read", "checked", "closed"] },
    404: { code: "model_not_found", key_id: rich.id, steps: ["authenticated", "read", "closed"] },
    429: { code: "rate_limit_exceeded", key_id: slow.id, steps: ["authenticated", "read", "checked", "closed"] },
    403: { code: "key_disabled", key_id: stopped.id, steps: ["authenticated", "closed"] },
  };
  for (const [status, { steps, ...columns }] of Object.entries(expected)) {
    const sent = refusals[Number(status) as keyof typeof refusals];
    expect(sent.status, sent.text).toBe(Number(status));
    const row = await it.recordOf(sent.requestId);
    expect(row).toMatchObject({ ...columns, status: Number(status), credits: null, attempts: null });
    expect(stepsOf(row), status).toEqual(steps);
    const { error } = JSON.parse(sent.text) as { error: { message: string } };
    expect(error.message).toContain(row["refusal"]);
  }
});

recorded(
  "a request whose providers fail lists its attempts with their times, also when the last one succeeds",
  async () => {
    const failed = await it.ask("down", rich.secret);
    const saved = await it.ask("shaky", rich.secret);

    const row = await it.recordOf(failed.requestId);
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(row).toMatchObject({ status: failed.status, first_byte_us: null, credits: 0n, provider: "bolt" });
    const attempts = row["attempts"] as {
      provider: string;
      beganUs: number;
      endedUs: number;
      status: number;
      failure: string;
    }[];
    expect(attempts).toMatchObject([
      { provider: "acme", status: 500, failure: "server_error" },
      { provider: "bolt", status: 500, failure: "server_error" },
    ]);
    expect(attempts[0]?.beganUs).toBe(row["dispatched_us"]);
    expect(attempts[1]?.beganUs).toBeGreaterThanOrEqual(attempts[0]?.endedUs ?? Infinity);
    expect((await it.recordOf(saved.requestId))["attempts"]).toMatchObject([
      { provider: "acme", failure: "server_error" },
      { provider: "bolt", failure: null },
    ]);
  },
);

recorded("a cancelled stream, a stream that broke off and a replay have one record each", async () => {
  const cancelled = await it.ask("endless", rich.secret, { stream: true }, { disconnects: true });
  const broken = await it.ask("cutoff", rich.secret, { stream: true });
  const headers = { "idempotency-key": "once-and-again" };
  const first = await it.ask("fast", rich.secret, {}, { headers });
  const again = await it.ask("fast", rich.secret, {}, { headers });

  const gone = await it.recordOf(cancelled.requestId);
  expect(gone).toMatchObject({ status: 200, code: "client_gone", outcome: "client_gone", streamed: true });
  expect(gone["credits"]).toBeGreaterThan(0n);
  const cut = await it.recordOf(broken.requestId);
  expect(cut).toMatchObject({ status: 200, code: "upstream_error", outcome: "upstream_failed" });
  expect(broken.text).toContain(cut["refusal"]);
  expect(await it.recordOf(first.requestId)).toMatchObject({ replay: false });
  expect(again.text).toBe(first.text);
  const replayed = await it.recordOf(again.requestId);
  expect(replayed).toMatchObject({ replay: true, code: "ok", credits: null, provider: null });
  expect(stepsOf(replayed)).toEqual(["authenticated", "read", "checked", "admitted", "first_byte", "closed"]);
});

recorded("what a provider says of a request is sent to the client and not kept", async () => {
  const sent = await it.ask("scold", rich.secret);

  const row = await it.recordOf(sent.requestId);
  expect(sent.status).toBe(400);
  expect(row["refusal"]).toMatch(/^The provider rejected the request\. The client was sent its reason/);
});

recorded("a header of 16 KB with control characters and a model name of 100 KB are cut", async () => {
  const agent = `curl/8 \u00a0${"\u0085x".repeat(6_000)}`;
  const sent = await it.ask("m".repeat(100_000), rich.secret, {}, { headers: { "user-agent": agent } });

  const row = await it.recordOf(sent.requestId);
  expect(row["model_asked"]).toBe("m".repeat(128));
  expect(row["client"]).toHaveLength(120);
  expect(row["client"]).toMatch(/^curl\/8 \P{Cc}+$/u);
  expect(row["agent"]).toBe("curl");
  expect((row["refusal"] as string).length).toBeLessThanOrEqual(500);
});

recorded("series are the fold of the records, exactly", async () => {
  const owed = async () => (await it.database.query("select from series_owed")).length;
  await until(async () => (await owed()) === 0, "all sums are added");
  const rows = await it.database.query<Row>("select * from request");
  const series = await it.database.query<Row>("select * from series");

  const folded = new Map<string, Row>();
  for (const row of rows) {
    const atMs = Number.parseInt((row["id"] as string).replaceAll("-", "").slice(0, 12), 16);
    const scopes = ["00000000-0000-0000-0000-000000000000", ...(row["accounts"] as string[])];
    if (row["key_id"] !== null) scopes.push(row["key_id"] as string);
    for (const scope of scopes) for (const grain of [5, 60, 1_440]) addRow(folded, row, { scope, grain, atMs });
  }
  const nameOf = ({ scope, grain, start, model, provider, code }: Row): string =>
    [scope, grain, (start as Date).toISOString(), model, provider, code].join(" ");
  expect(rows.length).toBeGreaterThan(20);
  expect(Object.fromEntries(series.map((row) => [nameOf(row), row]))).toEqual(Object.fromEntries(folded));
});

function addRow(
  folded: Map<string, Row>,
  row: Row,
  { scope, grain, atMs }: { scope: string; grain: number; atMs: number },
) {
  const start = new Date(atMs - (atMs % (grain * 60_000)));
  const key = { scope, grain, start, model: row["model"] ?? "", provider: row["provider"] ?? "", code: row["code"] };
  const name = [scope, grain, start.toISOString(), key.model, key.provider, key.code].join(" ");
  const names = ["requests", "input", "cached", "output", "credits", "tokens", "spoken", "spoken_ms"];
  const sum = folded.get(name) ?? {
    ...key,
    ...Object.fromEntries(names.map((one) => [one, 0n])),
    ttft: null,
    overhead: null,
  };
  const add = (column: string, more: unknown): void => {
    sum[column] = (sum[column] as bigint) + BigInt((more as number | bigint | null) ?? 0);
  };
  add("requests", row["times"]);
  for (const column of ["input", "cached", "output", "credits", "tokens"]) add(column, row[column]);
  if (row["provider"] !== null) {
    const overhead = (sum["overhead"] ??= emptyCounts(OVERHEAD_BOUNDS_MS)) as number[];
    const valueMs = Math.max(0, (row["closed_us"] as number) - (row["provider_us"] as number)) / 1_000;
    countIn(overhead, OVERHEAD_BOUNDS_MS, { valueMs, times: row["times"] as number });
    if (row["streamed"] && row["first_byte_us"] !== null) {
      const ttft = (sum["ttft"] ??= emptyCounts(TTFT_BOUNDS_MS)) as number[];
      countIn(ttft, TTFT_BOUNDS_MS, { valueMs: (row["first_byte_us"] as number) / 1_000, times: 1 });
      if (row["outcome"] === "completed") {
        add("spoken", row["output"]);
        add("spoken_ms", Math.round(((row["last_byte_us"] as number) - (row["first_byte_us"] as number)) / 1_000));
      }
    }
  }
  folded.set(name, sum);
}
