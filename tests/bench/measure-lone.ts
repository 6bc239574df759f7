import { describeShares } from "./core-shares.ts";
import { latencySheet, type LatencySlice } from "./latency.ts";
import type { Percentiles } from "./load-job.ts";
import { probe } from "./probe.ts";
import type { Sheet } from "./sheet.ts";
import { type Kind, measureSlice, type Slice } from "./slice.ts";
import { fewer, inOrder, type Stage } from "./stage.ts";
import type { Subject } from "./subject.ts";

export type LoneInput = { kind: Kind; ratePerSecond: number };

/** What a gateway adds to a request that has it nearly for itself: to the whole answer, or to the first byte of a stream. */
export async function measureLone(stage: Stage, input: LoneInput): Promise<Sheet> {
  const slices: LatencySlice[] = [];
  const rounds = fewer(stage.options.slices);
  const subjects = [stage.direct, ...stage.subjects];
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of inOrder(subjects, round)) {
      const slice = await measureOnce(stage, subject, input);
      const micros = microsOf(slice, input.kind);
      slices.push({ subject: subject.name, round, slice, micros });
      stage.progress(
        `${nameOf(input)} ${round}/${rounds} ${subject.name.padEnd(8)} p50 ${micros.p50} µs p99 ${micros.p99} µs · ${describeShares(slice.shares)}`,
      );
    }
  }
  const order = subjects.map(({ name }) => name);
  return latencySheet({ id: nameOf(input), title: titleOf(input), slices, order });
}

async function measureOnce(stage: Stage, subject: Subject, { kind, ratePerSecond }: LoneInput): Promise<Slice> {
  return measureSlice(stage, subject, {
    mode: "open",
    dialect: "chat",
    kind,
    model: subject.models[kind],
    ratePerSecond,
    durationMs: stage.options.loneMs,
    expected: await probe(subject, { dialect: "chat", kind }),
  });
}

const microsOf = ({ result }: Slice, kind: Kind): Percentiles =>
  kind === "stream" ? result.firstByteMicros : result.latencyMicros;

const nameOf = ({ kind, ratePerSecond }: LoneInput): string =>
  `${kind === "stream" ? "first-byte" : "lone"}-${ratePerSecond}`;

function titleOf({ kind, ratePerSecond }: LoneInput): string {
  const rate = ratePerSecond.toLocaleString("en");
  return kind === "stream"
    ? `First byte of a stream, ${rate} streams per second`
    : `Plain requests, ${rate} per second`;
}
