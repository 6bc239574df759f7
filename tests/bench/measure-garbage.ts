import { probe } from "./probe.ts";
import { type Column, type Measured, type Sheet, sheetOf } from "./sheet.ts";
import { measureSlice, type SliceRequest } from "./slice.ts";
import { fewer, inOrder, type Stage } from "./stage.ts";
import type { Subject } from "./subject.ts";
import { whyFailed } from "./validity.ts";
import { warmUp } from "./warm-up.ts";

const REQUESTS = 60_000;
/** Enough to keep the gateway busy, too few for a queue: what is under way for long is promoted for that alone. */
const CONNECTIONS = 32;
const LIMIT_MS = 300_000;

/** What a fixed number of plain requests allocates, and what of it becomes old. Only programs on Node can tell. */
export async function measureGarbage(stage: Stage): Promise<Sheet> {
  const subjects = stage.subjects.filter(({ garbage }) => garbage !== null);
  const rounds = fewer(stage.options.slices);
  const slices: Measured[] = [];
  const requests = new Map<string, SliceRequest>();
  for (const subject of subjects) {
    const request = await requestFor(subject);
    requests.set(subject.name, request);
    await warmUp(stage, subject, request);
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of inOrder(subjects, round)) {
      const request = requests.get(subject.name);
      if (request === undefined) continue;
      const { result, garbage } = await measureSlice(stage, subject, {
        ...request,
        mostRequests: REQUESTS,
        durationMs: LIMIT_MS,
      });
      if (garbage === null) throw new Error(`${subject.name} does not tell what it allocates`);
      const values = {
        allocated: garbage.allocatedBytes / result.requests / 1000,
        promoted: garbage.promotedBytes / result.requests / 1000,
        paused: garbage.pausedMicros / result.requests,
        collections: garbage.collections,
        requests: result.requests,
      };
      const incomplete =
        result.requests === REQUESTS ? null : `${result.requests} of ${REQUESTS} requests were answered`;
      slices.push({ subject: subject.name, round, values, invalid: whyFailed(result) ?? incomplete });
      stage.progress(
        `garbage ${round}/${rounds} ${subject.name.padEnd(8)} ${values.allocated.toFixed(1)} KB allocated, ` +
          `${values.promoted.toFixed(2)} KB promoted, ${values.paused.toFixed(1)} µs of pauses per request`,
      );
    }
  }
  const ordered = subjects.flatMap(({ name }) => slices.filter(({ subject }) => subject === name));
  const title = `Garbage of ${REQUESTS.toLocaleString("en")} plain requests, ${CONNECTIONS} connections`;
  return sheetOf({ id: "garbage", title, columns: COLUMNS, slices: ordered });
}

async function requestFor(subject: Subject): Promise<SliceRequest> {
  const expected = await probe(subject, { dialect: "chat", kind: "plain" });
  const model = subject.models.plain;
  return { mode: "closed", dialect: "chat", kind: "plain", model, connections: CONNECTIONS, expected };
}

const lower = { better: "lower", compared: "no" } as const;
const COLUMNS: Column[] = [
  { id: "allocated", title: "allocated", unit: "KB per request", ...lower },
  { id: "promoted", title: "promoted", unit: "KB per request", ...lower },
  { id: "paused", title: "pauses", unit: "µs per request", ...lower },
  { id: "collections", title: "collections", unit: "in all", ...lower },
  { id: "requests", title: "requests", unit: "in all", better: "higher", compared: "no" },
];
