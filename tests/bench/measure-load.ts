import { describeShares } from "./core-shares.ts";
import type { BenchDialect } from "./dialects.ts";
import { probe } from "./probe.ts";
import { type Column, type Measured, type Sheet, sheetOf } from "./sheet.ts";
import { type Expected, type Kind, measureSlice, type Slice } from "./slice.ts";
import { inOrder, type Stage } from "./stage.ts";
import { BARE, BEFORE, type Subject, TOLLGATE } from "./subject.ts";
import { whyNotFull } from "./validity.ts";
import { connectionsToFill, warmUp } from "./warm-up.ts";

export type LoadInput = { dialect: BenchDialect; kind: Kind };

/** The highest rate of every subject and what an operation costs there, in alternating slices. */
export async function measureLoad(stage: Stage, input: LoadInput): Promise<Sheet> {
  const { dialect, kind } = input;
  const expected = await expectations(stage, input);
  let connections = stage.options.connections;
  const run = (subject: Subject): Promise<Slice> => measureSlice(stage, subject, requestFor(subject));
  const requestFor = (subject: Subject) => ({
    mode: "closed" as const,
    dialect,
    kind,
    model: subject.models[kind],
    connections,
    expected: expected.get(subject.name) ?? { eventsPerStream: null, leastBytes: 0 },
  });

  for (const subject of stage.subjects) await warmUp(stage, subject, requestFor(subject));
  connections = await connectionsToFill(stage, requestFor);
  const zero = await run(stage.direct);
  stage.progress(`${nameOf(input)} without a gateway ${numbers(zero, kind)} · ${describeShares(zero.shares)}`);

  const slices: Measured[] = [];
  for (let round = 1; round <= stage.options.slices; round += 1) {
    for (const subject of inOrder(stage.subjects, round)) {
      const slice = await run(subject);
      const invalid = whyNotFull(slice.result, slice.shares);
      slices.push({ subject: subject.name, round, values: valuesOf(slice, kind), invalid });
      stage.progress(
        `${nameOf(input)} ${round}/${stage.options.slices} ${subject.name.padEnd(8)} ${numbers(slice, kind)}` +
          ` · ${describeShares(slice.shares)}${invalid === null ? "" : ` · INVALID: ${invalid}`}`,
      );
    }
  }
  const firsts = slices.toSorted((one, other) => rankOf(stage, one) - rankOf(stage, other));
  return sheetOf({ id: nameOf(input), title: titleOf(input, connections), columns: columnsOf(kind), slices: firsts });
}

const rankOf = (stage: Stage, { subject }: Measured): number =>
  stage.subjects.findIndex(({ name }) => name === subject);

/** A gateway that loses or adds an event would be quicker for it, so ours must deliver what the provider sends. */
async function expectations(stage: Stage, { dialect, kind }: LoadInput): Promise<Map<string, Expected>> {
  const expected = new Map<string, Expected>();
  const sent = await probe(stage.direct, { dialect, kind });
  expected.set(stage.direct.name, sent);
  for (const subject of stage.subjects) {
    const delivered = await probe(subject, { dialect, kind });
    expected.set(subject.name, delivered);
    if (delivered.eventsPerStream === sent.eventsPerStream) continue;
    const text = `${subject.name} delivers ${delivered.eventsPerStream} events of ${sent.eventsPerStream}`;
    if ([BARE, TOLLGATE, BEFORE].includes(subject.name)) throw new Error(text);
    stage.progress(`! ${text}`);
  }
  return expected;
}

function valuesOf({ result, used, garbage }: Slice, kind: Kind): Measured["values"] {
  const { subject, databaseMicros } = used;
  const operations = Math.max(1, kind === "stream" ? result.events : result.requests);
  const inTime = kind === "stream" ? result.eventsInTime : result.inTime;
  return {
    rate: (inTime / result.durationMs) * 1000,
    cpu: (subject.mainMicros + subject.otherMicros) / operations,
    otherThreads: subject.otherMicros / operations,
    database: databaseMicros === 0 ? null : databaseMicros / operations,
    allocated: garbage === null ? null : garbage.allocatedBytes / operations / 1024,
    promoted: garbage === null ? null : garbage.promotedBytes / operations / 1024,
    perRead: kind === "stream" ? result.events / Math.max(1, result.reads) : null,
    latency: (kind === "stream" ? result.firstByteMicros : result.latencyMicros).p50 / 1000,
  };
}

function columnsOf(kind: Kind): Column[] {
  const lower = { better: "lower", compared: "no" } as const;
  return [
    { id: "rate", title: kind === "stream" ? "events" : "requests", unit: "1/s", better: "higher", compared: "yes" },
    { id: "cpu", title: "processor time", unit: "µs", better: "lower", compared: "yes" },
    { id: "otherThreads", title: "of it other threads", unit: "µs", ...lower },
    { id: "database", title: "PostgreSQL", unit: "µs", ...lower },
    { id: "allocated", title: "allocated", unit: "KiB", ...lower },
    { id: "promoted", title: "promoted", unit: "KiB", ...lower },
    { id: "perRead", title: "events", unit: "per read", ...lower },
    { id: "latency", title: kind === "stream" ? "first byte p50" : "p50", unit: "ms", ...lower },
  ];
}

/** Chat is what the others are measured by, so it has the plain names. */
const nameOf = ({ dialect, kind }: LoadInput): string => (dialect === "chat" ? kind : `${dialect}-${kind}`);

function titleOf({ dialect, kind }: LoadInput, connections: number): string {
  const what = kind === "stream" ? "Streams, each event" : "Plain requests, each";
  return `${what}, ${dialect}, ${connections} connections`;
}

function numbers(slice: Slice, kind: Kind): string {
  const { rate, cpu, database } = valuesOf(slice, kind);
  return [
    `${Math.round(rate ?? 0).toLocaleString("en")}/s`,
    `${(cpu ?? 0).toFixed(1)} µs`,
    ...(database == null ? [] : [`PostgreSQL ${database.toFixed(1)} µs`]),
  ].join(" ");
}
