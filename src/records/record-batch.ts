import { invariant } from "../core/invariant.ts";
import type { QueuedRecord } from "./record-queue.ts";
import { recordRow, uuidOf } from "./record-row.ts";
import { createRequestGroups, type RequestGroups } from "./request-groups.ts";

/** What is written together, once. */
export type RecordBatch = {
  /** The first of the ids. */
  name: string;
  ids: string[];
  /** Rows of the table `request`, as JSON. */
  rows: string;
  groups: RequestGroups;
};

export function batchOf(records: readonly QueuedRecord[]): RecordBatch {
  const ids = records.map(({ facts }) => uuidOf(facts.requestId));
  const groups = createRequestGroups();
  for (const { facts, times } of records) groups.add(facts, times);
  const [name] = ids;
  invariant(name, "nothing is not written");
  return { name, ids, rows: JSON.stringify(records.map(recordRow)), groups };
}
