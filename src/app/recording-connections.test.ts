import { expect, test } from "vitest";
import { until } from "../../tests/support/until.ts";
import type { RecordRequest } from "../core/request/request-facts.ts";
import type { ProcessParts } from "./data-plane/process-parts.ts";
import { startRecording } from "./data-plane/start-recording.ts";

test("records are written on the connections of operators, never on those of generations", async () => {
  const used = { generations: 0, operators: 0 };
  const counting = (name: keyof typeof used) => ({
    query: async () => {
      used[name]++;
      return [];
    },
    transaction: async () => {
      used[name]++;
      return null;
    },
  });
  let record: RecordRequest = () => undefined;
  const recording = startRecording(
    {
      config: { records: { keepDays: 30, seriesDays: 400, queue: 10, flushMs: 10 } },
      database: counting("generations"),
      operatorDatabase: counting("operators"),
      events: {
        recordRequests: (given: RecordRequest) => (record = given),
        recordsWritten: () => undefined,
        recordsDropped: () => undefined,
        dutyDone: () => undefined,
        dutyFailed: () => undefined,
      },
      clock: { elapsedMs: () => 0 },
    } as unknown as ProcessParts,
    () => undefined,
  );
  record(REFUSED, null);
  await until(async () => used.operators > 1, "it is written");
  await recording.stop(1_000);

  expect(used.generations).toBe(0);
});

const REFUSED = {
  requestId: "req_018bcfe5680070008000000000000001",
  keyId: null,
  accounts: [],
  route: "chat_completions",
  status: 401,
  code: "invalid_credentials",
  steps: { closed: 90 },
  attempts: null,
  held: null,
  charged: null,
  modelAsked: null,
  refusal: null,
  dropped: null,
} as unknown as Parameters<RecordRequest>[0];
