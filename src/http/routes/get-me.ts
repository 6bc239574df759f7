import type { HolderReads } from "../../gateway/holder/holder-reads.ts";
import { errorsCsv, errorsQuery } from "../../wire/holder/errors.ts";
import { writeHolder } from "../../wire/holder/holder.ts";
import { ledgerCsv, writeLedger } from "../../wire/holder/ledger.ts";
import { writeModels } from "../../wire/holder/models.ts";
import { filePageQuery, noQuery, pageQuery, type Query } from "../../wire/holder/query.ts";
import {
  requestsCsv,
  requestsCsvQuery,
  requestsQuery,
  writeRequest,
  writeRequests,
} from "../../wire/holder/requests.ts";
import { holderSeriesCsv, seriesQuery, writeSeries } from "../../wire/holder/series.ts";
import { writeSessions } from "../../wire/holder/sessions.ts";
import type { Schema } from "../../wire/validate.ts";
import { explainErrors } from "../write/explain-errors.ts";
import { type HolderRead, holderRead } from "../serve/serve-holder.ts";

type File<Of extends Schema, Told, Body> = Required<HolderRead<Of, Told, Body>> & { fileQuery: Query<Of> };

/** A list, and the same as a file. */
const alsoFile = <Of extends Schema, Told, Body>({ csv, fileQuery, ...read }: File<Of, Told, Body>) => [
  holderRead(read),
  holderRead({ ...read, path: `${read.path}.csv`, query: fileQuery, csv }),
];

/** What a key holder can read about the own key. */
export const getMe = (reads: HolderReads): readonly HolderRead[] => [
  holderRead({ path: "/me", query: noQuery, tell: reads.showHolder, write: writeHolder }),
  ...alsoFile({
    path: "/me/ledger",
    query: pageQuery,
    fileQuery: filePageQuery,
    tell: (holder, { query }) => reads.showLedger(holder, query),
    write: writeLedger,
    csv: ledgerCsv,
  }),
  ...alsoFile({
    path: "/me/series",
    query: seriesQuery,
    fileQuery: seriesQuery,
    tell: (holder, { query }) => reads.showSeries(holder, query),
    write: writeSeries,
    csv: holderSeriesCsv,
  }),
  ...alsoFile({
    path: "/me/requests",
    query: requestsQuery,
    fileQuery: requestsCsvQuery,
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
  ...alsoFile({
    path: "/me/errors",
    query: errorsQuery,
    fileQuery: errorsQuery,
    tell: (holder, { query }) => reads.listErrors(holder, query),
    write: explainErrors,
    csv: errorsCsv,
  }),
  holderRead({ path: "/me/sessions", query: noQuery, tell: reads.listSessions, write: writeSessions }),
  holderRead({ path: "/me/models", query: noQuery, tell: reads.listModels, write: writeModels }),
];
