import { group, integer } from "./setting.ts";

/** What is kept of requests. */
export const recordSettings = group(
  "Records of requests, and series: their sums over time. Never a prompt or a response.",
  {
    keep_days: integer(
      { min: 0, max: 3650, fallback: 30 },
      "How many days records of requests are kept. A record takes about 0.5 KB. 0 writes no records and no series.",
    ),
    series_days: integer(
      { min: 8, max: 36_500, fallback: 400 },
      "How many days series are kept, in steps of an hour and of a day. Steps of 5 minutes are kept for 8 days.",
    ),
    queue: integer(
      { min: 1, max: 10_000_000, fallback: 10_000 },
      "Maximum number of records that wait for the database. More are dropped and counted in `tollgate_request_records_total`; requests never wait for records.",
    ),
    flush_ms: integer(
      { min: 10, max: 60_000, fallback: 1000 },
      "Interval at which waiting records are written, in milliseconds. Records younger than this are lost if the process is killed. Charges are not.",
    ),
  },
);
