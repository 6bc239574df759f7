import type { LoadGenerator } from "./generator.ts";
import { type LoadResult, requestBytes, tagOffsetIn } from "./load-job.ts";
import type { Subject } from "./subject.ts";

/** Generations at a fixed rate for a while, beside readers or alone. */
export type Window = { read: boolean; perSecond: number; failures: number; p50: number; p99: number };

export type PlaneLoad = {
  /** The rate that was asked for, or the highest below it that this machine holds without anybody reading. */
  highestRate: (rate: number) => Promise<number>;
  /** Windows with and without readers in turn, so that what else happens on the machine meets both. */
  windows: (
    how: { rate: number; rounds: number; seconds: number; prepare?: (read: boolean) => Promise<void> },
    readOften: (signal: AbortSignal) => Promise<void>,
  ) => Promise<Window[]>;
};

type Parts = { generator: LoadGenerator; subject: Subject; tell: (line: string) => void };

const CONNECTIONS = 64;
/** A rate is held when this share of its requests is answered in time. */
const HELD_SHARE = 0.99;
const RATES_BELOW = [0.8, 0.6, 0.4, 0.2, 0.1];

export function createPlaneLoad({ generator, subject, tell }: Parts): PlaneLoad {
  const generate = (rate: number, seconds: number) => generateWith({ generator, subject }, { rate, seconds });
  return {
    highestRate: async (rate) => {
      await generate(rate / 5, 3);
      for (const wanted of [1, ...RATES_BELOW].map((share) => Math.round(rate * share))) {
        const result = await generate(wanted, 5).catch(() => null);
        const share = result === null ? 0 : (result.inTime - result.failures) / (wanted * 5);
        const p99 = ((result?.latencyMicros.p99 ?? 0) / 1_000).toFixed(1);
        tell(`${wanted} generations/s: ${(share * 100).toFixed(1)} % in time, p99 ${p99} ms`);
        if (share >= HELD_SHARE) return wanted;
      }
      throw new Error(`this machine does not hold ${rate * 0.1} generations per second`);
    },
    windows: async ({ rate, rounds, seconds, prepare }, readOften) => {
      const windows: Window[] = [];
      for (let round = 0; round < rounds * 2; round += 1) {
        // Without first, then with first: a machine that warms up or fills up favours neither.
        const read = round % 4 === 1 || round % 4 === 2;
        await prepare?.(read);
        const stop = new AbortController();
        const reading = read ? readOften(stop.signal) : Promise.resolve();
        const { latencyMicros, inTime, failures } = await generate(rate, seconds);
        stop.abort();
        await reading;
        windows.push({
          read,
          perSecond: (inTime - failures) / seconds,
          failures,
          p50: latencyMicros.p50 / 1_000,
          p99: latencyMicros.p99 / 1_000,
        });
        tell(`${read ? "beside" : "alone "} ${JSON.stringify(windows.at(-1))}`);
      }
      return windows;
    },
  };
}

async function generateWith(
  { generator, subject }: Pick<Parts, "generator" | "subject">,
  how: { rate: number; seconds: number },
): Promise<LoadResult> {
  const bytes = requestBytes({
    origin: subject.origin,
    dialect: "chat",
    credential: subject.credential,
    headers: subject.headers,
    model: subject.models.plain,
    streamed: false,
  });
  const job = await generator.prepare({
    mode: "open",
    port: Number(new URL(subject.origin).port),
    request: bytes.toString("base64"),
    tagOffset: tagOffsetIn(bytes),
    connections: CONNECTIONS,
    ratePerSecond: how.rate,
    durationMs: how.seconds * 1_000,
    eventsPerStream: null,
    leastBytes: 0,
    atOnce: 0,
    mostRequests: 0,
  });
  try {
    return await job.go();
  } finally {
    await job.close();
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Of the windows with readers, or of those without. */
export const medianOf = (windows: readonly Window[], read: boolean, of: (window: Window) => number): number =>
  percentile(windows.filter((window) => window.read === read).map(of), 0.5);

/** With readers over without. */
export const ratioOf = (windows: readonly Window[], of: (window: Window) => number): number =>
  medianOf(windows, true, of) / medianOf(windows, false, of);
