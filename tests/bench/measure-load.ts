import { describeShares } from "./core-shares.ts";
import type { BenchDialect } from "./dialects.ts";
import { probe } from "./probe.ts";
import { type Column, type Measured, type Sheet, sheetOf } from "./sheet.ts";
import { type Expected, type Kind, measureSlice, type Slice, type SliceRequest } from "./slice.ts";
import { inOrder, type Stage } from "./stage.ts";
import { BARE, BEFORE, DIRECT, type Subject, TOLLGATE } from "./subject.ts";
import { whyNotFull } from "./validity.ts";
import { connectionsToFill, warmUp } from "./warm-up.ts";

/** A subject as it is asked in one row of a sheet. */
export type Variant = { name: string; subject: Subject; dialect: BenchDialect };

export type VariantsInput = { id: string; title: string; kind: Kind; base: string; variants: readonly Variant[] };

export type LoadInput = { dialect: BenchDialect; kind: Kind };

/** The highest rate of every subject and what an operation costs there, in alternating slices. */
export async function measureLoad(stage: Stage, { dialect, kind }: LoadInput): Promise<Sheet> {
  const what = kind === "stream" ? "Streams, each event" : "Plain requests, each";
  const variants = stage.subjects.map((subject) => ({ name: subject.name, subject, dialect }));
  // Chat is what the others are measured by, so it has the plain names.
  const id = dialect === "chat" ? kind : `${dialect}-${kind}`;
  return measureVariants(stage, { id, title: `${what}, ${dialect}`, kind, base: BARE, variants });
}

/** The same for subjects that are asked in different ways. */
export async function measureVariants(stage: Stage, input: VariantsInput): Promise<Sheet> {
  const { id, kind, variants, base } = input;
  const expected = await expectations(stage, input);
  let connections = stage.options.connections;
  const requestFor = ({ name, subject, dialect }: Variant): SliceRequest => ({
    mode: "closed",
    dialect,
    kind,
    model: subject.models[kind],
    connections,
    expected: expected.get(name) ?? { eventsPerStream: null, leastBytes: 0 },
  });
  const named = variants.map((variant) => ({ ...variant.subject, name: variant.name }));
  const variantOf = ({ name }: Subject): Variant => {
    const variant = variants.find((each) => each.name === name);
    if (variant === undefined) throw new Error(`${name} takes no part`);
    return variant;
  };

  for (const subject of named) await warmUp(stage, subject, requestFor(variantOf(subject)));
  connections = await connectionsToFill({ ...stage, subjects: named }, (subject) => requestFor(variantOf(subject)));
  const [first] = variants;
  if (first !== undefined) {
    const zero = await measureSlice(stage, stage.direct, requestFor({ ...first, name: DIRECT, subject: stage.direct }));
    stage.progress(`${id} without a gateway ${numbers(zero, kind)} · ${describeShares(zero.shares)}`);
  }

  const slices: Measured[] = [];
  for (let round = 1; round <= stage.options.slices; round += 1) {
    for (const subject of inOrder(named, round)) {
      const slice = await measureSlice(stage, subject, requestFor(variantOf(subject)));
      const invalid = whyNotFull(slice.result, slice.shares);
      slices.push({ subject: subject.name, round, values: valuesOf(slice, kind), invalid });
      stage.progress(
        `${id} ${round}/${stage.options.slices} ${subject.name.padEnd(9)} ${numbers(slice, kind)}` +
          ` · ${describeShares(slice.shares)}${invalid === null ? "" : ` · INVALID: ${invalid}`}`,
      );
    }
  }
  const ordered = variants.flatMap(({ name }) => slices.filter(({ subject }) => subject === name));
  const title = `${input.title}, ${connections} connections`;
  return sheetOf({ id, title, base, columns: columnsOf(kind), slices: ordered });
}

/** A gateway that loses or adds an event would be quicker for it, so ours must deliver what the provider sends. */
async function expectations(stage: Stage, { kind, variants }: VariantsInput): Promise<Map<string, Expected>> {
  const expected = new Map<string, Expected>();
  for (const { name, subject, dialect } of variants) {
    const sent = await probe(stage.direct, { dialect, kind });
    if (!expected.has(DIRECT)) expected.set(DIRECT, sent);
    const delivered = await probe(subject, { dialect, kind });
    expected.set(name, delivered);
    if (delivered.eventsPerStream === sent.eventsPerStream) continue;
    const text = `${name} delivers ${delivered.eventsPerStream} events of ${sent.eventsPerStream}`;
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

function numbers(slice: Slice, kind: Kind): string {
  const { rate, cpu, database } = valuesOf(slice, kind);
  return [
    `${Math.round(rate ?? 0).toLocaleString("en")}/s`,
    `${(cpu ?? 0).toFixed(1)} µs`,
    ...(database == null ? [] : [`PostgreSQL ${database.toFixed(1)} µs`]),
  ].join(" ");
}
