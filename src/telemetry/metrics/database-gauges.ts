import type { Registry } from "@prometheus-io/client";
import { type ServerFacts, sparesOf, standbyDemandOf } from "../../core/server-facts.ts";
import { DATABASE_GAUGES } from "./metric-table.ts";
import { createReading } from "./tally.ts";

type Reader = (facts: ServerFacts) => number | null;

/** How each gauge is read; null leaves it out. */
const READERS: Record<keyof typeof DATABASE_GAUGES, Reader> = {
  standbysNeeded: ({ replication }) => standbyDemandOf(replication.synchronousStandbyNames).needed,
  standbysConfirming: ({ replication: { synchronousStandbys, standbys } }) =>
    synchronousStandbys ?? (standbys === 0 ? 0 : null),
  standbysToSpare: ({ replication }) => sparesOf(replication)?.left ?? null,
  standbysSpareNamed: ({ replication }) => sparesOf(replication)?.named ?? null,
  clockAhead: ({ clockAheadMs }) => clockAheadMs / 1_000,
  clockUncertainty: ({ clockErrorMs }) => clockErrorMs / 1_000,
};

/** Takes what the server said last; null: nothing that still counts. */
export function createDatabaseGauges(registry: Registry): (facts: ServerFacts | null) => void {
  const readings = Object.entries(DATABASE_GAUGES).map(([key, row]) => ({
    read: READERS[key as keyof typeof DATABASE_GAUGES],
    reading: createReading(row, registry),
  }));
  return (facts) => {
    for (const { read, reading } of readings) reading.current = facts === null ? null : read(facts);
  };
}
