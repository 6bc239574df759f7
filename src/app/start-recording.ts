import { createRecordStore } from "../records/record-store.ts";
import { type Records, startRecords } from "../records/start-records.ts";
import type { RecordRequest } from "../core/request-facts.ts";
import type { ProcessParts } from "./process-parts.ts";

/** Writes down what becomes of requests, unless the settings say that nothing is kept. `beside` is told in any case. */
export function startRecording(
  { config, database, events, clock }: ProcessParts,
  beside: RecordRequest,
): Pick<Records, "stop"> {
  const { keepDays, seriesDays, queue, flushMs } = config.records;
  if (keepDays === 0) {
    events.recordRequests(beside);
    return { stop: () => Promise.resolve() };
  }
  const records = startRecords({
    store: createRecordStore(database),
    clock,
    limits: { queue, flushMs, keepDays, seriesDays },
    onWritten: (written) => {
      events.recordsWritten({ records: written });
      events.dutyDone("records");
    },
    onDropped: (dropped) => events.recordsDropped({ records: dropped }),
    onFailed: (error) => events.dutyFailed("records", error),
  });
  events.recordRequests((facts, userAgent) => {
    records.record(facts, userAgent);
    beside(facts, userAgent);
  });
  return records;
}
