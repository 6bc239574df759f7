import type { HolderReads } from "../../gateway/holder/holder-reads.ts";
import { errorsCsv, errorsQuery } from "../../wire/holder/errors.ts";
import { ledgerCsv } from "../../wire/holder/ledger.ts";
import { filePageQuery, noQuery, pageQuery } from "../../wire/holder/query.ts";
import { requestsCsv, requestsCsvQuery, requestsQuery } from "../../wire/holder/requests.ts";
import { holderSeriesCsv, seriesQuery } from "../../wire/holder/series.ts";
import { explainErrors } from "../explain-errors.ts";
import { type HolderRead, holderRead } from "../serve-holder.ts";

/** What a key holder can read about the own key. A list is also a file. */
export const getMe = (reads: HolderReads): readonly HolderRead[] => [
  holderRead({ path: "/me", query: noQuery, tell: reads.showHolder }),
  holderRead({ path: "/me/ledger", query: pageQuery, tell: (holder, { query }) => reads.showLedger(holder, query) }),
  holderRead({
    path: "/me/ledger.csv",
    query: filePageQuery,
    tell: (holder, { query }) => reads.showLedger(holder, query),
    csv: ledgerCsv,
  }),
  holderRead({ path: "/me/series", query: seriesQuery, tell: (holder, { query }) => reads.showSeries(holder, query) }),
  holderRead({
    path: "/me/series.csv",
    query: seriesQuery,
    tell: (holder, { query }) => reads.showSeries(holder, query),
    csv: holderSeriesCsv,
  }),
  holderRead({
    path: "/me/requests",
    query: requestsQuery,
    tell: (holder, { query }) => reads.listRequests(holder, query),
  }),
  holderRead({
    path: "/me/requests.csv",
    query: requestsCsvQuery,
    tell: (holder, { query }) => reads.listRequests(holder, query),
    csv: requestsCsv,
  }),
  holderRead({
    path: "/me/requests/*",
    query: noQuery,
    tell: (holder, { below }) => reads.showRequest(holder, below),
  }),
  holderRead({
    path: "/me/errors",
    query: errorsQuery,
    tell: async (holder, { query }) => explainErrors(await reads.listErrors(holder, query)),
  }),
  holderRead({
    path: "/me/errors.csv",
    query: errorsQuery,
    tell: async (holder, { query }) => explainErrors(await reads.listErrors(holder, query)),
    csv: errorsCsv,
  }),
  holderRead({ path: "/me/sessions", query: noQuery, tell: reads.listSessions }),
  holderRead({ path: "/me/models", query: noQuery, tell: reads.listModels }),
];
