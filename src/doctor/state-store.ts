import type { Queryable } from "../db/database.ts";

/** A gateway process and its lease: without one, its requests are settled by others. */
export type LeasedProcess = { id: string; renewingSince: Date; leaseUntil: Date; isAlive: boolean };
export type AppliedScript = { name: string; appliedAt: Date };

const MOST_PROCESSES = 500;

/** Those that renew first. What ended stays until the sweep has seen to it. */
export const readProcesses = (queryable: Queryable): Promise<LeasedProcess[]> =>
  queryable.query<LeasedProcess>(
    `select id, renewing_since as "renewingSince", lease_until as "leaseUntil", lease_until >= clock.now as "isAlive"
       from process, (select ledger_now() as now offset 0) clock order by lease_until desc, id limit $1`,
    [MOST_PROCESSES],
  );

export const readAppliedScripts = (queryable: Queryable): Promise<AppliedScript[]> =>
  queryable.query<AppliedScript>(`select name, applied_at as "appliedAt" from migration order by number`);

export async function readServerVersion(queryable: Queryable): Promise<string> {
  const [row] = await queryable.query<{ version: string }>("select current_setting('server_version') as version");
  return row?.version ?? "";
}
