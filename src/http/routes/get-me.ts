import type { HolderReads } from "../../gateway/holder/holder-reads.ts";
import { errorsCsv, errorsQuery } from "../../wire/holder/errors.ts";
import { writeHolder } from "../../wire/holder/holder.ts";
import { ledgerCsv, writeLedger } from "../../wire/holder/ledger.ts";
import { writeModels } from "../../wire/holder/models.ts";
import { filePageQuery, noQuery, pageQuery } from "../../wire/holder/query.ts";
import {
  requestsCsv,
  requestsCsvQuery,
  requestsQuery,
  writeRequest,
  writeRequests,
} from "../../wire/holder/requests.ts";
import { holderSeriesCsv, seriesQuery, writeSeries } from "../../wire/holder/series.ts";
import { writeSessions } from "../../wire/holder/sessions.ts";
import { explainErrors } from "../explain-errors.ts";
import { type HolderRead, holderRead } from "../serve-holder.ts";

/** What a key holder can read about the own key. A list is also a file. */
export const getMe = (reads: HolderReads): readonly HolderRead[] => [
  holderRead({ path: "/me", query: noQuery, tell: reads.showHolder, write: writeHolder }),
  holderRead({
    path: "/me/ledger",
    query: pageQuery,
    tell: (holder, { query }) => reads.showLedger(holder, query),
    write: writeLedger,
  }),
  holderRead({
    path: "/me/ledger.csv",
    query: filePageQuery,
    tell: (holder, { query }) => reads.showLedger(holder, query),
    write: writeLedger,
    csv: ledgerCsv,
  }),
  holderRead({
    path: "/me/series",
    query: seriesQuery,
    tell: (holder, { query }) => reads.showSeries(holder, query),
    write: writeSeries,
  }),
  holderRead({
    path: "/me/series.csv",
    query: seriesQuery,
    tell: (holder, { query }) => reads.showSeries(holder, query),
    write: writeSeries,
    csv: holderSeriesCsv,
  }),
  holderRead({
    path: "/me/requests",
    query: requestsQuery,
    tell: (holder, { query }) => reads.listRequests(holder, query),
    write: writeRequests,
  }),
  holderRead({
    path: "/me/requests.csv",
    query: requestsCsvQuery,
    tell: (holder, { query }) => reads.listRequests(holder, query),
    write: writeRequests,
    csv: requestsCsv,
  }),
  holderRead({
    path: "/me/requests/*",
    query: noQuery,
    tell: (holder, { below }) => reads.showRequest(holder, below),
    write: writeRequest,
  }),
  holderRead({
    path: "/me/errors",
    query: errorsQuery,
    tell: (holder, { query }) => reads.listErrors(holder, query),
    write: explainErrors,
  }),
  holderRead({
    path: "/me/errors.csv",
    query: errorsQuery,
    tell: (holder, { query }) => reads.listErrors(holder, query),
    write: explainErrors,
    csv: errorsCsv,
  }),
  holderRead({ path: "/me/sessions", query: noQuery, tell: reads.listSessions, write: writeSessions }),
  holderRead({ path: "/me/models", query: noQuery, tell: reads.listModels, write: writeModels }),
];
