import { Readable } from "node:stream";
import {
  requestExport,
  type RequestFilters,
  requestLine,
  requestRow,
  REQUESTS,
  requestsCsvText,
  requestsHead,
} from "../../contract/requests.ts";
import { series, SERIES, seriesCsv, seriesCsvText, seriesQuery } from "../../contract/series.ts";
import type { By } from "../../core/people/by.ts";
import type { ReadRequests } from "../../operator/requests.ts";
import { written } from "../../wire/validate.ts";
import { type AdminRoute, route } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";

const EXPORT = route({
  id: "exportRequests",
  tag: "requests",
  method: "GET",
  path: "/admin/v1/requests/export.csv",
  summary: "Export finished requests as CSV, newest first, up to 100,000",
  media: "text/csv",
  query: requestExport,
  answers: { 200: requestsCsvText },
  refusals: ["invalid_request", "not_found"],
  handle: async ({ operator: { requests } }, { query, by }) => ({
    status: 200,
    body: await exported(requests, query, by),
  }),
});

const SERIES_EXPORT = route({
  id: "exportSeries",
  tag: "requests",
  method: "GET",
  path: "/admin/v1/series.csv",
  summary: "The same as CSV",
  media: "text/csv",
  query: seriesQuery,
  answers: { 200: seriesCsvText },
  refusals: ["invalid_request", "not_found"],
  handle: async ({ operator }, { query, by }) => ({
    status: 200,
    body: seriesCsv(written(series, await operator.series.report(query, by))),
  }),
});

/** The list, its export, one request; then series and their export. */
export const requestRoutes: readonly AdminRoute[] = [
  ...serveOperations({ tag: "requests", operations: REQUESTS, of: ({ requests }) => requests }).toSpliced(1, 0, EXPORT),
  ...serveOperations({ tag: "requests", operations: SERIES, of: (operator) => operator.series }),
  SERIES_EXPORT,
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
        .map((row) => requestLine(written(requestRow, row)))
        .join("");
      left -= page.data.length;
      if (page.next === null || left <= 0) return;
    }
  }
  return Readable.from(lines(), { objectMode: false });
}
