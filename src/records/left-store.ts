import type { Queryable } from "../db/database.ts";
import { foldSeries, type SeriesRow } from "./fold-series.ts";
import { createRequestGroups } from "./request-groups.ts";
import { RECORD_COLUMNS, recordOf, type RequestRow } from "./request-store.ts";

/** A process adds what it owes once a minute or more often: what is older was left by one that has ended. */
const LEFT_AFTER_MINUTES = 5;

const LEFT = `
  select batch, requests from series_owed where at < now() - interval '${LEFT_AFTER_MINUTES} minutes'
   order by batch limit 1 for update skip locked`;

/** By a range of ids, too, so that only the partitions of these days are searched. */
const RECORDS = `
  select ${RECORD_COLUMNS} from request where id = any ($1::uuid[]) and id >= $2::uuid and id <= $3::uuid`;

type OwedBatch = { batch: string; requests: string[] };

/** Finds sums that a process has left behind. Null: there are none. */
export async function findLeft(queryable: Queryable): Promise<OwedBatch | null> {
  const [found] = await queryable.query<OwedBatch>(LEFT);
  return found ?? null;
}

/** The rows of a batch, from its records as they were written. */
export async function refoldSeries(queryable: Queryable, { requests }: OwedBatch): Promise<Iterable<SeriesRow[]>> {
  const sorted = requests.toSorted();
  const rows = await queryable.query<RequestRow>(RECORDS, [requests, sorted[0], sorted.at(-1)]);
  const groups = createRequestGroups();
  for (const row of rows) {
    const record = recordOf(row);
    groups.add(record, record.times);
  }
  return foldSeries(groups);
}
