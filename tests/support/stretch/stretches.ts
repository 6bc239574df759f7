import { readFileSync } from "node:fs";
import { join } from "node:path";
import { processorMs } from "../processor-time.ts";

/** Work that kept the main thread to itself. */
export type Stretch = {
  /** Processor time of the main thread. */
  ms: number;
  /** What the event loop called: the class of the thing it was called for. */
  what: string;
  /** The longest collection of garbage since the last such line, by the clock on the wall. */
  gcMs: number;
  endedAt: number;
};

/** No request may keep all others waiting for longer than this, on a machine at the pace below. */
export const LONGEST_STRETCH_MS = 50;

/** What reading the text below takes at the usual pace. An estimate: it took 28 ms on a day when the bare proxy of the bench took twice as long as usual. */
const USUAL_READ_MS = 16;
const SLOWEST = 3;

/** The same limit in the processor time of this machine. On a slow one all work takes longer. */
export function longestStretchHere(): number {
  const items = Array.from({ length: 100_000 }, (_, at) => ({ at, name: `n${at}` }));
  const bytes = Buffer.from(JSON.stringify({ text: "word ".repeat(400_000), items }));
  const reads = Array.from({ length: 12 }, () => processorMs(() => JSON.parse(bytes.toString())));
  const slowness = Math.min(...reads) / USUAL_READ_MS;
  return LONGEST_STRETCH_MS * Math.min(Math.max(1, slowness), SLOWEST);
}

export type Stretches = {
  /** What the process must be started with. */
  environment: Record<string, string>;
  /** Those written down since the last call. Throws when the process was not started so. */
  take: () => Stretch[];
  /** The longest of those; null when none was worth a line. */
  longest: () => Stretch | null;
};

const RECORD = join(import.meta.dirname, "record.ts");

/**
 * The stretches of one process, which writes them to a file in this folder. One is written down when the next piece of work begins:
 * ask the process something, and read after its answer.
 */
export function watchStretches(folder: string): Stretches {
  const file = join(folder, "stretches.jsonl");
  let read = 0;
  const take = (): Stretch[] => {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    const fresh = lines.slice(read).map((line) => JSON.parse(line) as Stretch);
    read = lines.length;
    return fresh;
  };
  return {
    environment: { TEST_STRETCHES: file, NODE_OPTIONS: `--import ${RECORD}` },
    take,
    longest: () => take().reduce<Stretch | null>(longer, null),
  };
}

export function longer(one: Stretch | null, other: Stretch | null): Stretch | null {
  return (other?.ms ?? 0) > (one?.ms ?? 0) ? other : one;
}
