import { createRecordStore } from "../../records/record-store.ts";
import { type Records, startRecords } from "../../records/start-records.ts";
import type { RecordRequest } from "../../core/request/request-facts.ts";
import type { RouteName } from "../../telemetry/route-name.ts";
import type { ProcessParts } from "./process-parts.ts";

const HOLDER_ROUTE_NAME: RouteName = "holder";

/** Writes down what becomes of requests, unless the settings say that nothing is kept. `beside` is told in any case. */
export function startRecording(
  { config, operatorDatabase, events, clock }: ProcessParts,
  beside: RecordRequest,
): Pick<Records, "stop"> {
  const { keepDays, seriesDays, queue, flushMs } = config.records;
  if (keepDays === 0) {
    events.recordRequests(beside);
    return { stop: () => Promise.resolve() };
  }
  const records = startRecords({
    store: createRecordStore(operatorDatabase),
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
    // What key holders read of their requests is no request of theirs, and a page that is left open would be most of them.
    if (facts.route !== HOLDER_ROUTE_NAME) records.record(facts, userAgent);
    beside(facts, userAgent);
  });
  return records;
}
