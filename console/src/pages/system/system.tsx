import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { SystemStatus } from "../../api/generated/admin.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Failure, Skeleton } from "../../parts/state.tsx";
import { useMay } from "../../shell/may.ts";
import { DoctorTable } from "./doctor-table.tsx";
import { LedgerCard } from "./ledger-card.tsx";
import { MigrationsTable } from "./migrations-table.tsx";
import { ProcessesTable } from "./processes-table.tsx";
import { RunningCard } from "./running-card.tsx";
import { SystemFigures } from "./system-figures.tsx";
import { VerifiedDaysTable } from "./verified-days-table.tsx";
import { VerificationsTable } from "./verifications-table.tsx";

const REFRESH_MS = 10_000;

/** Whether this installation is well: the process that answers, its database, the other processes, and the ledger. */
export function System(): ReactNode {
  const may = useMay();
  const status = useQuery({
    ...queryOf("GET /admin/v1/status"),
    refetchInterval: REFRESH_MS,
  });
  if (status.error) return <Failure error={status.error} height={400} retry={() => void status.refetch()} />;
  if (!status.data) return <Skeleton height={400} />;
  const { data } = status;
  return (
    <div className="flex flex-col gap-4">
      <Readiness of={data} />
      <SystemFigures of={data} />
      <div className="grid gap-4 xl:grid-cols-2">
        <RunningCard of={data} />
        <LedgerCard of={data.ledger} />
      </div>
      {may("examine") && <DoctorTable />}
      <ProcessesTable of={data} />
      {may("listVerifications") && <VerifiedDaysTable />}
      {may("listVerifications") && <VerificationsTable />}
      <MigrationsTable of={data.migrations} />
    </div>
  );
}

const TONES: Record<SystemStatus["status"], Tone> = { ok: "good", degraded: "warn", unavailable: "bad" };
const WORDS: Record<SystemStatus["status"], string> = {
  ok: "serves requests",
  degraded: "serves requests, not all is well",
  unavailable: "does not serve requests",
};

const Readiness = ({ of: { status, reasons } }: { of: SystemStatus }): ReactNode => (
  <div className="flex flex-wrap items-center gap-3" role="status">
    <Badge tone={TONES[status]}>{WORDS[status]}</Badge>
    {reasons.length > 0 && <span className="text-ink-2">{reasons.join(" · ")}</span>}
  </div>
);
