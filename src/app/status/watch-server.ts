import type { TlsCertificate } from "../../core/tls-certificate.ts";
import type { Clock } from "../../core/clock.ts";
import type { DiskFacts } from "../../core/disk-facts.ts";
import type { ServerFacts } from "../../core/server-facts.ts";
import type { Database } from "../../db/database.ts";
import { readDiskFacts } from "../../doctor/disk-store.ts";
import { adviceOn } from "../../telemetry/log/server-advice.ts";
import { watchReading } from "./watch-reading.ts";

export type ServerWatch = {
  /** What is wrong with the server while it answers, in words for operators. */
  concerns: () => string[];
  /** Of the connection to it. */
  certificates: () => readonly TlsCertificate[];
  stop: () => Promise<void>;
};

type Options = {
  /** Of operators: no request uses its connections. */
  database: Pick<Database, "inspect" | "query" | "connections">;
  clock: Pick<Clock, "elapsedMs">;
  /** Hears what the server said last; null once that is too old to count. */
  onFacts: (facts: ServerFacts | null) => void;
  onDisk: (facts: DiskFacts | null) => void;
};

/** An operator hears of everything within five seconds. */
const EVERY_MS = 3_000;
const COUNTS_FOR_MS = 60_000;
/** The server looks at every file of its tablespaces for this. */
const DISK_EVERY_MS = 300_000;
const DISK_COUNTS_FOR_MS = 1_200_000;

/** What can come true while we run, and costs money or availability if it stays. The rest is said at the start and by doctor. */
const CONCERNS: ReadonlySet<string> = new Set([
  "standby_absent",
  "standby_spare",
  "clock",
  "certificate",
  "client_certificate",
]);

/** Asks the server about itself. A database inside this process has none. */
export function watchServer({ database, clock, onFacts, onDisk }: Options): ServerWatch {
  if (database.connections() === null)
    return { concerns: () => [], certificates: () => [], stop: () => Promise.resolve() };
  const server = watchReading({
    read: database.inspect,
    everyMs: EVERY_MS,
    countsForMs: COUNTS_FOR_MS,
    clock,
    onRead: onFacts,
  });
  const read = (): Promise<DiskFacts> => readDiskFacts(database);
  const disk = watchReading({
    read,
    everyMs: DISK_EVERY_MS,
    countsForMs: DISK_COUNTS_FOR_MS,
    clock,
    onRead: onDisk,
  });
  return {
    concerns: () => {
      const facts = server.latest();
      const advice = facts === null ? [] : adviceOn(facts).filter(({ finding }) => CONCERNS.has(finding));
      return advice.map(({ message, fix }) => `${message}. ${fix}`);
    },
    certificates: () => server.latest()?.certificates ?? [],
    stop: async () => void (await Promise.all([server.stop(), disk.stop()])),
  };
}
