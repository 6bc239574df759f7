import { describeShares } from "./core-shares.ts";
import { latencySheet, type LatencySlice } from "./latency.ts";
import { probe } from "./probe.ts";
import type { Sheet } from "./sheet.ts";
import { type Expected, measureSlice, type SliceRequest } from "./slice.ts";
import { spreadOf } from "./spread.ts";
import { inOrder, type Stage } from "./stage.ts";
import { BARE, DIRECT, type Subject, TOLLGATE } from "./subject.ts";
import type { Interval } from "./tail.ts";
import { whyNotFull } from "./validity.ts";
import { connectionsToFill, warmUp } from "./warm-up.ts";

/** Slices at full load by which the capacity of a gateway is known. */
const CAPACITY_SLICES = 5;
/** As many requests as may be under way, so that one that must wait does so in the gateway and not in the generator. */
const CONNECTIONS = 256;

/**
 * Latency at half of what a gateway can do: each at half of its own capacity, which is measured first, at full load. The
 * provider without a gateway and the bare proxy get the rate of Tollgate, in the same rounds. `windows` are Tollgate's slices.
 */
export async function measureHalf(stage: Stage): Promise<{ sheet: Sheet; windows: Interval[] }> {
  const requests = new Map<string, SliceRequest>();
  const subjects = [stage.direct, ...stage.subjects];
  for (const subject of subjects) requests.set(subject.name, requestFor(subject, await expectedOf(subject)));
  const rates = await halvesOf(stage, requests);

  const rounds = Math.ceil(stage.options.slices / 2);
  const slices: LatencySlice[] = [];
  const windows: Interval[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of inOrder(subjects, round)) {
      const ratePerSecond = rates.get(subject.name) ?? 0;
      const startedMs = Date.now();
      const slice = await measureSlice(stage, subject, {
        ...requestIn(requests, subject),
        mode: "open",
        ratePerSecond,
        connections: CONNECTIONS,
        durationMs: stage.options.halfMs,
      });
      const micros = slice.result.latencyMicros;
      if (subject.name === TOLLGATE) windows.push([startedMs, Date.now()]);
      slices.push({ subject: subject.name, round, slice, micros });
      stage.progress(
        `half ${round}/${rounds} ${subject.name.padEnd(8)} ${Math.round(ratePerSecond)}/s p50 ${micros.p50} µs p99 ${micros.p99} µs · ${describeShares(slice.shares)}`,
      );
    }
  }
  const title = "Plain requests at half of the gateway's capacity";
  const sheet = latencySheet({ id: "half", title, slices, order: subjects.map(({ name }) => name) });
  return { sheet, windows };
}

const expectedOf = (subject: Subject): Promise<Expected> => probe(subject, { dialect: "chat", kind: "plain" });

const requestFor = (subject: Subject, expected: Expected): SliceRequest => ({
  mode: "closed",
  dialect: "chat",
  kind: "plain",
  model: subject.models.plain,
  expected,
});

function requestIn(requests: ReadonlyMap<string, SliceRequest>, { name }: Subject): SliceRequest {
  const request = requests.get(name);
  if (request === undefined) throw new Error(`${name} takes no part`);
  return request;
}

/** Requests per second of each subject, the direct one included. */
async function halvesOf(stage: Stage, requests: ReadonlyMap<string, SliceRequest>): Promise<Map<string, number>> {
  const halves = new Map<string, number>();
  for (const subject of stage.subjects) {
    if (subject.name === BARE && stage.subjects.some(({ name }) => name === TOLLGATE)) continue;
    halves.set(subject.name, (await capacityOf(stage, subject, requestIn(requests, subject))) / 2);
  }
  const own = halves.get(TOLLGATE) ?? [...halves.values()][0] ?? 0;
  return new Map([[DIRECT, own], [BARE, own], ...halves]);
}

/** The highest rate of plain requests, with as many connections as it takes. */
export async function capacityOf(stage: Stage, subject: Subject, request: SliceRequest): Promise<number> {
  await warmUp(stage, subject, request);
  const connections = await connectionsToFill({ ...stage, subjects: [subject] }, () => request);
  const measured: { perSecond: number; invalid: string | null }[] = [];
  for (let slice = 0; slice < CAPACITY_SLICES; slice += 1) {
    const { result, shares } = await measureSlice(stage, subject, { ...request, connections });
    measured.push({ perSecond: (result.inTime / result.durationMs) * 1000, invalid: whyNotFull(result, shares) });
  }
  const valid = measured.filter(({ invalid }) => invalid === null);
  const doubt = valid.length > 0 ? "" : `, INVALID: ${measured[0]?.invalid ?? ""}`;
  const capacity = spreadOf((valid.length > 0 ? valid : measured).map(({ perSecond }) => perSecond))?.median ?? 0;
  stage.progress(
    `capacity of ${subject.name}: ${Math.round(capacity).toLocaleString("en")}/s, ${connections} connections${doubt}`,
  );
  return capacity;
}
