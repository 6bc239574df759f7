import type { ReactNode } from "react";
import type { ConnectionPool, SystemStatus } from "../../api/generated/admin.ts";
import { DURATION, REQUESTS, type Unit } from "../../format/unit.ts";
import { Figure, Figures } from "../../parts/figure.tsx";

const PROCESSES: Unit = { ...REQUESTS, name: "processes" };
const CONNECTIONS: Unit = { ...REQUESTS, name: "connections" };
const CALLERS: Unit = { ...REQUESTS, name: "callers" };
const MEBIBYTES: Unit = { ...REQUESTS, name: "MiB" };
const MIB = 1_048_576;

/** Milliseconds of the API as microseconds. */
export const microseconds = (ms: number): bigint => BigInt(Math.round(ms * 1000));

export function SystemFigures({ of: { process, processes, database } }: { of: SystemStatus }): ReactNode {
  const alive = processes?.filter((one) => one.alive).length;
  const gone = processes === null ? 0 : processes.length - (alive ?? 0);
  const { event_loop: lag } = process;
  return (
    <Figures>
      <Figure
        label="Running"
        unit={PROCESSES}
        value={alive === undefined ? null : BigInt(alive)}
        note={gone > 0 ? `${gone} with a lease that ran out` : "all leases hold"}
      />
      <Figure
        label="Event loop, p99"
        unit={DURATION}
        value={microseconds(lag.p99_ms)}
        note={`longest ${DURATION.show(microseconds(lag.most_ms))} in ${lag.over_seconds} s`}
      />
      <Figure
        label="Memory"
        unit={MEBIBYTES}
        value={BigInt(Math.round(process.memory_bytes / MIB))}
        note="this process"
      />
      <Figure
        label="Database answers in"
        unit={DURATION}
        value={database.answer_ms === null ? null : microseconds(database.answer_ms)}
        note={database.version === null ? "no answer" : `PostgreSQL ${database.version.split(" ")[0]}`}
      />
      <PoolFigure label="In use" pool={database.pool} />
      <Figure
        label="Waiting"
        unit={CALLERS}
        value={database.pool === null ? null : BigInt(database.pool.waiting + (database.operator_pool?.waiting ?? 0))}
        note={database.embedded ? "embedded database" : "for a connection"}
      />
    </Figures>
  );
}

const PoolFigure = ({ label, pool }: { label: string; pool: ConnectionPool | null }): ReactNode => (
  <Figure
    label={label}
    unit={CONNECTIONS}
    value={pool === null ? null : BigInt(pool.open - pool.idle)}
    note={pool === null ? "embedded database" : `of ${pool.most}; ${pool.open} open`}
  />
);
