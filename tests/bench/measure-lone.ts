import { describeShares } from "./core-shares.ts";
import type { Percentiles } from "./load-job.ts";
import { probe } from "./probe.ts";
import { type Column, type Measured, type Sheet, sheetOf } from "./sheet.ts";
import { type Kind, measureSlice, type Slice } from "./slice.ts";
import { fewer, inOrder, type Stage } from "./stage.ts";
import { BARE, type Subject } from "./subject.ts";
import { whyDisturbed } from "./validity.ts";

export type LoneInput = { kind: Kind; ratePerSecond: number };

/** What a gateway adds to a request that has it nearly for itself: to the whole answer, or to the first byte of a stream. */
export async function measureLone(stage: Stage, input: LoneInput): Promise<Sheet> {
  const slices: Measured[] = [];
  const rounds = fewer(stage.options.slices);
  for (let round = 1; round <= rounds; round += 1) {
    const measured = new Map<string, Slice>();
    for (const subject of inOrder(stage.subjects, round)) {
      const slice = await measureOnce(stage, subject, input);
      measured.set(subject.name, slice);
      const { p50, p99 } = microsOf(slice, input.kind);
      stage.progress(
        `${nameOf(input)} ${round}/${rounds} ${subject.name.padEnd(8)} p50 ${p50} µs p99 ${p99} µs · ${describeShares(slice.shares)}`,
      );
    }
    for (const { name } of stage.subjects) {
      const slice = measured.get(name);
      if (slice !== undefined)
        slices.push(measuredOf({ name, round, slice, bare: measured.get(BARE), kind: input.kind }));
    }
  }
  return sheetOf({ id: nameOf(input), title: titleOf(input), columns: COLUMNS, slices });
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

type Part = { name: string; round: number; slice: Slice; bare: Slice | undefined; kind: Kind };

function measuredOf({ name, round, slice, bare, kind }: Part): Measured {
  const { result, used, shares } = slice;
  const own = microsOf(slice, kind);
  const base = bare === undefined || name === BARE ? null : microsOf(bare, kind);
  return {
    subject: name,
    round,
    values: {
      p50: own.p50 / 1000,
      p99: own.p99 / 1000,
      addedP50: base === null ? null : (own.p50 - base.p50) / 1000,
      addedP99: base === null ? null : (own.p99 - base.p99) / 1000,
      cpu: (used.subject.mainMicros + used.subject.otherMicros) / result.requests,
      database: used.databaseMicros === 0 ? null : used.databaseMicros / result.requests,
    },
    invalid: whyDisturbed(result, shares, result.latenessMicros.p50),
  };
}

const lower = { better: "lower", compared: "no" } as const;
const COLUMNS: Column[] = [
  { id: "p50", title: "p50", unit: "ms", ...lower },
  { id: "addedP50", title: "added to bare, p50", unit: "ms", ...lower },
  { id: "p99", title: "p99", unit: "ms", ...lower },
  { id: "addedP99", title: "added to bare, p99", unit: "ms", ...lower },
  { id: "cpu", title: "processor time", unit: "µs", better: "lower", compared: "yes" },
  { id: "database", title: "PostgreSQL", unit: "µs", ...lower },
];

const nameOf = ({ kind, ratePerSecond }: LoneInput): string =>
  `${kind === "stream" ? "first-byte" : "lone"}-${ratePerSecond}`;

function titleOf({ kind, ratePerSecond }: LoneInput): string {
  const rate = ratePerSecond.toLocaleString("en");
  return kind === "stream"
    ? `First byte of a stream, ${rate} streams per second`
    : `Plain requests, ${rate} per second`;
}
