import type { Registry } from "@prometheus-io/client";
import type { DiskFacts } from "../../core/disk-facts.ts";
import { type ServerFacts, sparesOf, standbyDemandOf } from "../../core/server-facts.ts";
import type { GaugeRow } from "./metric-table.ts";
import { DATABASE_GAUGES, DISK_GAUGES } from "./server-metric-table.ts";
import { createReading } from "./tally.ts";

/** How each gauge is read; null leaves it out. */
const READERS: Record<keyof typeof DATABASE_GAUGES, (facts: ServerFacts) => number | null> = {
  standbysNeeded: ({ replication }) => standbyDemandOf(replication.synchronousStandbyNames).needed,
  standbysConfirming: ({ replication: { synchronousStandbys, standbys } }) =>
    synchronousStandbys ?? (standbys === 0 ? 0 : null),
  standbysToSpare: ({ replication }) => sparesOf(replication)?.left ?? null,
  standbysSpareNamed: ({ replication }) => sparesOf(replication)?.named ?? null,
  clockAhead: ({ clockAheadMs }) => clockAheadMs / 1_000,
  clockUncertainty: ({ clockErrorMs }) => clockErrorMs / 1_000,
};

type DiskReading = DiskFacts & { diskBytes: number };

const DISK_READERS: Record<keyof typeof DISK_GAUGES, (reading: DiskReading) => number | null> = {
  databaseBytes: ({ databaseBytes }) => databaseBytes,
  tablespaceBytes: ({ tablespaceBytes }) => tablespaceBytes,
  walBytes: ({ walBytes }) => walBytes,
  slotsBeyondLimit: ({ slotsBeyondLimit }) => slotsBeyondLimit.length,
  slotHeldBytes: ({ slotHeldBytes }) => slotHeldBytes,
  slotSafeBytes: ({ slotSafeBytes }) => slotSafeBytes,
  diskBytes: ({ diskBytes }) => (diskBytes === 0 ? null : diskBytes),
};

/** Each takes what was read last; null: nothing that still counts. */
export function createDatabaseGauges(registry: Registry) {
  const setDisk = createReadings(DISK_GAUGES, DISK_READERS, registry);
  return {
    databaseFacts: createReadings(DATABASE_GAUGES, READERS, registry),
    databaseDisk: (facts: DiskFacts | null, diskBytes: number) =>
      setDisk(facts === null ? null : { ...facts, diskBytes }),
  };
}

function createReadings<Name extends string, Read>(
  rows: Record<Name, GaugeRow>,
  readers: Record<Name, (read: Read) => number | null>,
  registry: Registry,
): (read: Read | null) => void {
  const names = Object.keys(rows) as Name[];
  const readings = names.map((name) => ({ of: readers[name], reading: createReading(rows[name], registry) }));
  return (read) => {
    for (const { of, reading } of readings) reading.current = read === null ? null : of(read);
  };
}
