import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import type { RequestFacts } from "../core/request/request-facts.ts";
import type { RequestFilter, RequestRecord } from "../core/request/request-record.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import { foldSeries } from "./fold-series.ts";
import { createListRequests } from "./list-requests.ts";
import { createReadSeries } from "./read-series.ts";
import { batchOf } from "./record-batch.ts";
import type { QueuedRecord } from "./record-queue.ts";
import { createRecordStore } from "./record-store.ts";
import { createFindStore } from "./request-store.ts";
import { createSeriesStore } from "./series-store.ts";
import { createShowRequest } from "./show-request.ts";
import { createShowStore } from "./show-store.ts";

const reason = whyUnavailable("15");
const onServer = test.skipIf(reason !== null);
const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-11-16T12:00:00Z");
const id = (kind: number, no: number): string => `00000000-0000-4000-800${kind}-${no.toString(16).padStart(12, "0")}`;
const [ORG, TEAM, OTHER_TEAM] = [id(1, 1), id(1, 2), id(1, 3)];
const KEYS = [id(2, 0), id(2, 1), id(2, 2), id(2, 3)];

let fresh: FreshDatabase;
let database: Database;
const kept: QueuedRecord[] = [];
const clock = { elapsedMs: () => 0, nowMs: () => NOW };

beforeAll(async () => {
  if (reason !== null) return;
  fresh = await freshDatabase();
  database = createPostgres({
    url: fresh.url,
    poolSize: 4,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 20_000,
    onError: () => undefined,
  });
  // Over three days, most of them in the last hours.
  const records = Array.from({ length: 1_200 }, (_, no) =>
    recordAt(NOW - Math.floor((no / 1_200) ** 2 * 72 * HOUR_MS), no),
  );
  await write(records);
  await database.script("analyze request");
});
afterAll(async () => {
  await database?.close();
  await fresh?.close();
});

async function write(records: QueuedRecord[]): Promise<void> {
  kept.push(...records);
  const [store, batch] = [createRecordStore(database), batchOf(records)];
  await store.write(batch);
  expect(await store.add([batch.name], foldSeries(batch.groups))).toBe("added");
}

/** What came of the request of this number: every mix of key, model, provider, code and agent, and some that are rare. */
function recordAt(atMs: number, no: number): QueuedRecord {
  const failed = no % 7 === 0;
  const rare = no % 401 === 0;
  const asked = no % 11 !== 0;
  const keyId = KEYS[no % 4] ?? null;
  const provider = no % 3 === 0 ? "acme" : "bolt";
  const facts: RequestFacts = {
    requestId: requestIdOf(createId(atMs)),
    keyId: no % 13 === 0 ? null : keyId,
    accounts: no % 13 === 0 ? [] : [ORG, no % 4 < 2 ? TEAM : OTHER_TEAM],
    route: "chat_completions",
    dialect: "chat",
    modelAsked: null,
    model: `model-${no % 5}`,
    priceVersion: 1,
    status: rare ? 500 : failed ? 429 : 200,
    code: rare ? "internal_error" : failed ? "rate_limit_exceeded" : null,
    outcome: no % 17 === 0 ? "client_gone" : "completed",
    streamed: no % 2 === 0,
    replay: false,
    steps: {
      authenticated: 100,
      read: 200,
      checked: 300,
      admitted: 900,
      dispatched: 1_000,
      first_byte: 50_000 + no * 1_000,
      last_byte: 60_000 + no * 2_000,
      settled: 70_000 + no * 2_000,
      closed: 71_000 + no * 2_000,
    },
    providerUs: 60_000,
    attempts: asked
      ? [
          {
            provider,
            routeId: id(3, 1),
            region: no % 2 === 0 ? "eu" : null,
            beganUs: 1_000,
            endedUs: 50_000,
            status: 200,
            failure: null,
          },
        ]
      : null,
    inputTokens: no,
    cachedTokens: no % 10,
    outputTokens: 2 * no,
    reasoningTokens: 0,
    held: { credits: 10n ** 9n, tokens: null },
    charged: failed ? null : { credits: BigInt(no) * 1_000_003n, tokens: null },
    refusal: failed ? "Too many." : null,
    dropped: null,
    bytesOut: no,
    traceId: no % 3 === 0 ? null : `${no}`.padStart(32, "a"),
  };
  const agent = no % 6 === 0 ? "Claude Code" : null;
  return { facts, name: { client: "it/1", agent }, times: failed ? 3 : 1 };
}

const codeOf = ({ facts: { code, outcome } }: QueuedRecord): string =>
  code ?? (outcome === "completed" ? "ok" : (outcome ?? ""));
const timeIn = ({ facts }: QueuedRecord): number => Number.parseInt(facts.requestId.slice(4, 16), 16);
const isError = (record: QueuedRecord): boolean => !["ok", "client_gone"].includes(codeOf(record));

const FILTERS: Record<string, [RequestFilter, (record: QueuedRecord) => boolean]> = {
  "a key": [{ keyId: KEYS[1] ?? "" }, ({ facts }) => facts.keyId === KEYS[1]],
  "an account and what is below it": [{ accountId: TEAM }, ({ facts }) => facts.accounts.includes(TEAM)],
  "two accounts": [{ within: [TEAM, OTHER_TEAM] }, ({ facts }) => facts.accounts.length > 0],
  "a model": [{ model: "model-3" }, ({ facts }) => facts.model === "model-3"],
  "a provider": [{ provider: "acme" }, ({ facts }) => facts.attempts?.at(-1)?.provider === "acme"],
  "a code": [{ code: "rate_limit_exceeded" }, ({ facts }) => facts.code === "rate_limit_exceeded"],
  "a rare code": [{ code: "internal_error" }, ({ facts }) => facts.code === "internal_error"],
  "a code that none has": [{ code: "method_not_allowed" }, () => false],
  "a status": [{ status: 429 }, ({ facts }) => facts.status === 429],
  "an agent": [{ agent: "Claude Code" }, ({ name }) => name.agent === "Claude Code"],
  success: [{ outcome: "ok" }, (record) => codeOf(record) === "ok"],
  errors: [{ outcome: "error" }, isError],
  "clients that disconnected": [{ outcome: "client_gone" }, (record) => codeOf(record) === "client_gone"],
  "a time": [
    { fromMs: NOW - 20 * HOUR_MS, toMs: NOW - 2 * HOUR_MS },
    (record) => timeIn(record) >= NOW - 20 * HOUR_MS && timeIn(record) < NOW - 2 * HOUR_MS,
  ],
  "all of them": [
    { keyId: KEYS[2] ?? "", accountId: ORG, model: "model-1", outcome: "error", toMs: NOW - HOUR_MS },
    (record) =>
      record.facts.keyId === KEYS[2] &&
      record.facts.model === "model-1" &&
      isError(record) &&
      timeIn(record) < NOW - HOUR_MS,
  ],
  nothing: [{}, () => true],
};

/** Walks along few rows, so that the index is used as it is over millions. */
function listing(enoughMs?: number) {
  let ticks = 0;
  const late = { ...clock, elapsedMs: () => (ticks += 1_000) };
  return createListRequests({
    store: createFindStore(database),
    clock: enoughMs === undefined ? clock : late,
    walkedRows: 60,
    ...(enoughMs !== undefined && { enoughMs }),
  });
}

async function everyOne(list: ReturnType<typeof listing>, filter: RequestFilter): Promise<RequestRecord[]> {
  const found: RequestRecord[] = [];
  for (let after: string | null = null; ;) {
    const page = await list(filter, { limit: 37, after });
    expect(page.data.length).toBeLessThanOrEqual(37);
    found.push(...page.data);
    if (page.next === null) return found;
    after = page.next;
  }
}

onServer.for(Object.keys(FILTERS))(
  "requests by %s are those that a plain filter leaves, newest first",
  async (name) => {
    const [filter, matches] = FILTERS[name] ?? [{}, () => true];
    const expected = kept
      .filter(matches)
      .map(({ facts }) => facts.requestId)
      .toSorted()
      .toReversed();

    expect((await everyOne(listing(), filter)).map(({ requestId }) => requestId)).toEqual(expected);
    // A search that has no time at all ends its pages early, and finds the same.
    expect((await everyOne(listing(0), filter)).map(({ requestId }) => requestId)).toEqual(expected);
  },
);

test("the newest requests are looked for in the last day, then in a week, and only then everywhere", async () => {
  const days: (number | string)[] = [];
  const list = (found: number) =>
    createListRequests({
      store: {
        oldest: async () => null,
        floor: async () => null,
        find: async (_filter, { from, limit }) => {
          const ms = Number.parseInt(from.replace("-", "").slice(0, 12), 16);
          days.push(ms === 0 ? "all" : (NOW - ms) / 24 / HOUR_MS);
          return Array.from({ length: Math.min(found, limit) }, () => ({ requestId: "req_0" }) as RequestRecord);
        },
      },
      clock,
    })({}, { limit: 5, after: null });

  await list(6);
  expect(days).toEqual([1]);
  await list(5);
  expect(days).toEqual([1, 1, 7, "all"]);
});

onServer("a record says what was written", async () => {
  const { data } = await listing()({ code: "internal_error" }, { limit: 1, after: null });

  const written = kept.find(({ facts }) => facts.requestId === data[0]?.requestId);
  const { facts, name, times } = written as QueuedRecord;
  const { provider = null, region = null } = facts.attempts?.at(-1) ?? {};
  expect(data[0]).toEqual({ ...facts, ...name, times, provider, region, atMs: timeIn(written as QueuedRecord) });
});

onServer("a record has the trace that was written with it, or none", async () => {
  const { data } = await listing()({}, { limit: 30, after: null });
  const written = new Map(kept.map(({ facts }) => [facts.requestId, facts.traceId]));

  expect(data.map(({ traceId }) => traceId)).toEqual(data.map(({ requestId }) => written.get(requestId)));
  expect(new Set(data.map(({ traceId }) => traceId?.length))).toEqual(new Set([32, undefined]));
});

onServer("a request is shown by its id, without money where nothing was reserved, and others are unknown", async () => {
  const showRequest = createShowRequest({ store: createShowStore(database) });
  const [one] = kept;
  const uuidOf = (requestId: string): string => requestId.slice(4);

  const shown = await showRequest(uuidOf(one?.facts.requestId ?? ""));
  expect(shown?.money).toBeNull();
  expect(shown?.record).toMatchObject({ requestId: one?.facts.requestId, steps: one?.facts.steps });
  expect(await showRequest(uuidOf(requestIdOf(createId(NOW))))).toBeNull();
});

onServer("pages neither repeat nor skip a request while others are added", async () => {
  const list = listing();
  const before = kept.length;
  const seen: string[] = [];
  let no = 5_000;
  for (let after: string | null = null; ;) {
    const page = await list({ accountId: TEAM }, { limit: 50, after });
    seen.push(...page.data.map(({ requestId }) => requestId));
    await write([recordAt(NOW + ++no, 4 * no)]);
    if (page.next === null) break;
    after = page.next;
  }

  const expected = kept.slice(0, before).filter(({ facts }) => facts.accounts.includes(TEAM));
  expect(seen).toEqual(
    expected
      .map(({ facts }) => facts.requestId)
      .toSorted()
      .toReversed(),
  );
});

onServer.for([
  ["everything", null, () => true],
  ["an account", [TEAM], ({ facts }: QueuedRecord) => facts.accounts.includes(TEAM)],
  ["a key", [KEYS[3] ?? ""], ({ facts }: QueuedRecord) => facts.keyId === KEYS[3]],
] as const)("series of %s are the sums of its requests, whole and by group", async ([, of, matches]) => {
  const readSeries = createReadSeries({ store: createSeriesStore(database), clock });
  const meant = kept.filter(matches).filter((record) => timeIn(record) < NOW + HOUR_MS);
  const sum = (records: readonly QueuedRecord[], value: (facts: RequestFacts) => number): number =>
    records.reduce((total, { facts }) => total + value(facts), 0);
  const requests = (records: readonly QueuedRecord[]): number => records.reduce((total, { times }) => total + times, 0);

  for (const stepMinutes of [5, 60, 1_440, null]) {
    const range = { of, fromMs: NOW - 96 * HOUR_MS, toMs: NOW + HOUR_MS, stepMinutes };
    const { total, points, groups } = await readSeries({ ...range, by: "model", top: 3 });

    expect(total.requests).toBe(requests(meant));
    expect(total.inputTokens).toBe(sum(meant, (facts) => facts.inputTokens));
    expect(total.cachedTokens).toBe(sum(meant, (facts) => facts.cachedTokens));
    expect(total.outputTokens).toBe(sum(meant, (facts) => facts.outputTokens));
    expect(total.credits).toBe(meant.reduce((all, { facts }) => all + (facts.charged?.credits ?? 0n), 0n));
    expect(Object.values(total.codes).reduce((one, other) => one + other)).toBe(total.requests);
    expect(total.codes["ok"]).toBe(requests(meant.filter((record) => codeOf(record) === "ok")));
    expect(points.reduce((all, point) => all + point.requests, 0)).toBe(total.requests);
    expect(points.reduce((all, point) => all + point.credits, 0n)).toBe(total.credits);
    expect(groups.map(({ id: name }) => name)).toHaveLength(4);
    expect(groups.at(-1)?.id).toBeNull();
    for (const { id: name, total: of, points: steps } of groups) {
      expect(steps.reduce((all, step) => all + step.requests, 0)).toBe(of.requests);
      if (name !== null) expect(of.requests).toBe(requests(meant.filter(({ facts }) => facts.model === name)));
    }
    expect(groups.reduce((all, group) => all + group.total.requests, 0)).toBe(total.requests);
    expect(groups.reduce((all, group) => all + group.total.credits, 0n)).toBe(total.credits);
    const { ttft } = total;
    expect(ttft?.counts.reduce((one, other) => one + other) ?? 0).toBe(
      requests(meant.filter(({ facts }) => facts.streamed && facts.attempts !== null)),
    );
    expect(ttft?.p50 ?? 0).toBeLessThanOrEqual(ttft?.p95 ?? 0);
  }
});

onServer.for(["model", "provider", "code"] as const)(
  "what begins and ends within a day comes to the same by %s in every step, of several accounts, too",
  async (by) => {
    const readSeries = createReadSeries({ store: createSeriesStore(database), clock });
    for (const of of [null, [ORG], [TEAM, OTHER_TEAM]]) {
      const range = { of, fromMs: NOW - 50 * HOUR_MS, toMs: NOW - 2 * HOUR_MS, by, top: 2 };
      const fine = await readSeries({ ...range, stepMinutes: 5 });
      const hourly = await readSeries({ ...range, stepMinutes: 60 });

      const counted = kept
        .filter((record) => timeIn(record) >= range.fromMs && timeIn(record) < range.toMs)
        .filter(({ facts }) => of === null || facts.accounts.length > 0);
      expect(fine.total.requests).toBe(counted.reduce((all, { times }) => all + times, 0));
      expect(hourly.total).toEqual(fine.total);
      expect(hourly.groups.map(({ id: name, total }) => ({ name, total }))).toEqual(
        fine.groups.map(({ id: name, total }) => ({ name, total })),
      );
      for (const { total, points } of fine.groups)
        expect(points.reduce((all, step) => all + step.requests, 0)).toBe(total.requests);
    }
  },
);

onServer.for([
  ["a model", { model: "model-2", provider: null }],
  ["a provider", { model: null, provider: "acme" }],
  ["both", { model: "model-2", provider: "bolt" }],
  ["a model that none asked for", { model: "model-9", provider: null }],
] as const)("series of %s alone are the sums of its requests, whole and by every group", async ([, only]) => {
  const readSeries = createReadSeries({ store: createSeriesStore(database), clock });
  const isMeant = ({ facts }: QueuedRecord): boolean =>
    (only.model === null || facts.model === only.model) &&
    (only.provider === null || facts.attempts?.at(-1)?.provider === only.provider);
  const requests = (records: readonly QueuedRecord[]): number => records.reduce((total, { times }) => total + times, 0);

  for (const of of [null, [TEAM], [TEAM, OTHER_TEAM]]) {
    const range = { of, only, fromMs: NOW - 50 * HOUR_MS, toMs: NOW - 2 * HOUR_MS, top: 2 };
    const meant = kept
      .filter(isMeant)
      .filter((record) => timeIn(record) >= range.fromMs && timeIn(record) < range.toMs)
      .filter(({ facts }) => of === null || of.some((id) => facts.accounts.includes(id)));
    for (const by of [null, "model", "provider", "code"] as const) {
      const fine = await readSeries({ ...range, by, stepMinutes: 5 });
      const hourly = await readSeries({ ...range, by, stepMinutes: 60 });

      expect(fine.total.requests).toBe(requests(meant));
      expect(fine.total.codes["ok"] ?? 0).toBe(requests(meant.filter((record) => codeOf(record) === "ok")));
      expect(fine.total.credits).toBe(meant.reduce((all, { facts }) => all + (facts.charged?.credits ?? 0n), 0n));
      expect(fine.points.reduce((all, point) => all + point.requests, 0)).toBe(fine.total.requests);
      expect(hourly.total).toEqual(fine.total);
      expect(hourly.groups.map(({ id: name, total }) => ({ name, total }))).toEqual(
        fine.groups.map(({ id: name, total }) => ({ name, total })),
      );
      if (by !== null)
        expect(fine.groups.reduce((all, { total }) => all + total.requests, 0)).toBe(fine.total.requests);
    }
  }
});

onServer("the totals of a step are the sums of its series", async () => {
  const columns = "requests, input, cached, output, credits, tokens, spoken, spoken_ms".split(", ");
  const counts = (["ttft", "overhead"] as const).map(
    (name) => `(select sum(n)::int from unnest(${name}) n) as ${name}`,
  );
  const differing = await database.query(`
    select t.scope, t.grain, t.start, t.code from (
      select scope, grain, start, code, ${columns.map((name) => `sum(${name}) as ${name}`).join(", ")},
             sum((select sum(n) from unnest(ttft) n)) as ttft, sum((select sum(n) from unnest(overhead) n)) as overhead
        from series group by scope, grain, start, code
    ) s full join (select scope, grain, start, code, ${columns.join(", ")}, ${counts.join(", ")} from series_total) t
      using (scope, grain, start, code)
     where (${columns.map((name) => `s.${name}`).join(", ")}, s.ttft, s.overhead)
           is distinct from (${columns.map((name) => `t.${name}`).join(", ")}, t.ttft, t.overhead)`);

  expect(differing).toEqual([]);
  expect((await database.query("select from series_total")).length).toBeGreaterThan(100);
});

onServer("the longest range that a client can write has what the whole of it has", async () => {
  const readSeries = createReadSeries({ store: createSeriesStore(database), clock });
  const asked = { of: null, stepMinutes: null, by: null, top: 0, fromMs: Date.parse("0001-01-01T00:00:00Z") };
  const far = await readSeries({ ...asked, toMs: Date.parse("9999-12-31T23:59:59Z") });
  const near = await readSeries({ ...asked, fromMs: NOW - 96 * HOUR_MS, toMs: NOW + 2 * HOUR_MS, stepMinutes: 1_440 });

  expect(far.total).toEqual(near.total);
});
