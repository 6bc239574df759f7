import { Readable } from "node:stream";
import type { By } from "../../core/by.ts";
import type { ReadRequests } from "../../operator/requests.ts";
import { pageView } from "../../wire/admin/page.ts";
import { ofRequest } from "../../contract/quarantine.ts";
import {
  requestDetailSchema,
  requestDetailView,
  requestExportSchema,
  type RequestFilters,
  requestLine,
  requestListSchema,
  requestPageSchema,
  requestRowView,
  requestsCsvSchema,
  requestsHead,
} from "../../wire/admin/requests.ts";
import { seriesCsv, seriesCsvSchema, seriesQuery, seriesSchema, seriesView } from "../../wire/admin/series.ts";
import { type AdminRoute, route } from "../route.ts";

const SHORT_PAGES =
  "A page may have fewer rows than `limit`, even none, and a `next`: the search for rare requests goes on there.";

export const requestRoutes: readonly AdminRoute[] = [
  route({
    id: "listRequests",
    tag: "requests",
    method: "GET",
    path: "/admin/v1/requests",
    summary: "List finished requests, newest first, by key, account, model, provider, code, status, agent and time",
    description: SHORT_PAGES,
    query: requestPageSchema,
    answers: { 200: requestListSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { requests } }, { query, by }) => ({
      status: 200,
      body: pageView(await requests.list(query, by), requestRowView),
    }),
  }),
  route({
    id: "exportRequests",
    tag: "requests",
    method: "GET",
    path: "/admin/v1/requests/export.csv",
    summary: "Export finished requests as CSV, newest first, up to 100,000",
    media: "text/csv",
    query: requestExportSchema,
    answers: { 200: requestsCsvSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { requests } }, { query, by }) => ({
      status: 200,
      body: await exported(requests, query, by),
    }),
  }),
  route({
    id: "showRequest",
    tag: "requests",
    method: "GET",
    path: "/admin/v1/requests/{request}",
    summary: "Show one request: steps, attempts, and how its charge was computed",
    params: ofRequest,
    answers: { 200: requestDetailSchema },
    refusals: ["not_found"],
    handle: async ({ operator: { requests } }, { params, by }) => ({
      status: 200,
      body: requestDetailView(await requests.show(params.request, by)),
    }),
  }),
  route({
    id: "readSeries",
    tag: "requests",
    method: "GET",
    path: "/admin/v1/series",
    summary: "Spend, requests, tokens, outcomes and times over time, of everything, an account or a key",
    query: seriesQuery,
    answers: { 200: seriesSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { series } }, { query, by }) => ({
      status: 200,
      body: seriesView(await series.report(query, by)),
    }),
  }),
  route({
    id: "exportSeries",
    tag: "requests",
    method: "GET",
    path: "/admin/v1/series.csv",
    summary: "The same as CSV",
    media: "text/csv",
    query: seriesQuery,
    answers: { 200: seriesCsvSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { series } }, { query, by }) => ({
      status: 200,
      body: seriesCsv(seriesView(await series.report(query, by))),
    }),
  }),
];

/** Whoever needs more asks for shorter times. */
const MOST_EXPORTED = 100_000;
const ROWS_AT_ONCE = 500;

/** Page by page, as fast as they are read. The first is read before anything is sent, so that a refusal is one. */
async function exported(requests: ReadRequests, query: RequestFilters, by: By): Promise<Readable> {
  const pageAt = (after: string | null) => requests.list({ ...query, limit: ROWS_AT_ONCE, after }, by);
  const first = await pageAt(null);
  async function* lines(): AsyncGenerator<string> {
    yield requestsHead();
    let left = MOST_EXPORTED;
    for (let page = first; ; page = await pageAt(page.next)) {
      yield page.data
        .slice(0, left)
        .map((row) => requestLine(requestRowView(row)))
        .join("");
      left -= page.data.length;
      if (page.next === null || left <= 0) return;
    }
  }
  return Readable.from(lines(), { objectMode: false });
}
