import { expect, test } from "vitest";
import type { RequestFilter, RequestRecord } from "../core/request/request-record.ts";
import type { AskedSeries } from "../core/request/series.ts";
import type { Key } from "../keys/key.ts";
import type { AccountRow } from "../ledger/structure/account.ts";
import { type AskedRequests, createReadRequests } from "./requests.ts";
import { createReportSeries } from "./series.ts";

const REQUEST = "019a84d2-c6b8-7c1e-9d3f-0a5b7e2c4d60";
const MINE = { accounts: ["acme", "search"], keyId: "key-1", steps: { closed: 5_000, first_byte: null } };
const ALL: AskedRequests = {
  limit: 10,
  after: null,
  key: null,
  account: null,
  model: null,
  provider: null,
  code: null,
  status: null,
  agent: null,
  outcome: null,
  fromMs: null,
  toMs: null,
};

/** Accounts `acme` with `search` and `ads` below it, and a key in `search`. */
function build() {
  const asked: RequestFilter[] = [];
  const read: AskedSeries[] = [];
  const findAccount = async (id: string) =>
    ({ id, title: id, path: id === "acme" ? ["acme"] : ["acme", id] }) as unknown as AccountRow;
  const findKey = async (id: string) => ({ id, prefix: "tgc_1", accounts: ["acme", "search"] }) as unknown as Key;
  const requests = createReadRequests({
    listRequests: async (filter) => {
      asked.push(filter);
      return { data: [], next: null };
    },
    showRequest: async () => ({ record: MINE as unknown as RequestRecord, money: null }),
    findKey,
    findAccount,
    nameAll: async () => ({ accounts: new Map(), prefixes: new Map() }),
  });
  const series = createReportSeries({
    readSeries: async (what) => {
      read.push(what);
      return { ...what, stepMinutes: 60, total: {} as never, points: [], groups: [] };
    },
    findKey,
    findAccount,
    clock: { nowMs: () => 1_800_000_000_000 },
  });
  return { requests, series, asked, read };
}

const NOT_FOUND = expect.objectContaining({ code: "not_found" });

test("a lead lists, finds and shows requests of their own accounts alone", async () => {
  const { requests, asked } = build();
  const lead = { within: ["search"] };

  await requests.list(ALL, lead);
  await requests.list({ ...ALL, account: "search", key: "key-1" }, lead);
  expect(asked).toEqual([{ within: ["search"] }, { within: ["search"], accountId: "search", keyId: "key-1" }]);
  await expect(requests.list({ ...ALL, account: "ads" }, lead)).rejects.toEqual(NOT_FOUND);
  await expect(requests.list({ ...ALL, account: "acme" }, lead)).rejects.toEqual(NOT_FOUND);
  await expect(requests.show(REQUEST, lead)).resolves.toMatchObject({ tookMs: 5 });
  await expect(requests.show(REQUEST, { within: ["ads"] })).rejects.toEqual(NOT_FOUND);
});

test("a lead sees series of their own accounts, each request once", async () => {
  const { series, read } = build();
  const report = (of: Parameters<typeof series.report>[0]["of"], within?: string[]) =>
    series.report({ of, fromMs: null, toMs: null, stepMinutes: null, by: null, top: 10 }, within ? { within } : {});

  await report(null);
  await report(null, ["search", "ads"]);
  await report(null, ["acme", "search"]);
  await report({ kind: "key", name: "key-1" }, ["search"]);
  expect(read.map(({ of }) => of)).toEqual([null, ["search", "ads"], ["acme"], ["key-1"]]);
  await expect(report({ kind: "account", name: "acme" }, ["search"])).rejects.toEqual(NOT_FOUND);
  await expect(report({ kind: "key", name: "key-1" }, ["ads"])).rejects.toEqual(NOT_FOUND);
});

test("a range that is empty or has too many steps is refused", async () => {
  const { series } = build();
  const report = (fromMs: number, stepMinutes: number) =>
    series.report({ of: null, fromMs, toMs: 1_700_000_000_000, stepMinutes, by: null, top: 10 }, {});

  await expect(report(1_700_000_000_000, 60)).rejects.toMatchObject({ param: "from" });
  await expect(report(1_700_000_000_000 - 365 * 86_400_000, 5)).rejects.toMatchObject({ param: "step" });
});
