import type { Client } from "pg";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { ServerFacts } from "../../core/server-facts.ts";
import { isWithheld } from "../database-error.ts";
import { readCertificates } from "./read-certificates.ts";
import { isPooled, send } from "./postgres-client.ts";

type Row = {
  pid: number;
  role: string;
  now: Date;
  isNeon: boolean;
  defaults: Record<string, string>;
};

type Limits = { statementTimeoutMs: number; idleTransactionTimeoutMs: number };

/** `reset_val` is what a session begins with: through a pooler the next statement may run in one that we have not set up. */
const FACTS = `
  select pg_backend_pid() as pid, current_user::text as role, clock_timestamp() as now,
         current_setting('neon.timeline_id', true) is not null as "isNeon",
         (select json_object_agg(name, reset_val) from pg_settings
           where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'default_transaction_isolation',
                          'fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names')) as defaults`;

type Standbys = { connected: bigint; synchronous: bigint | null; candidates: bigint | null };

/** A managed service may have taken this view away, so it is asked by itself. */
const STANDBYS = `
  select count(*) as connected,
         case when pg_has_role(current_user, 'pg_read_all_stats', 'usage')
              then count(*) filter (where sync_state in ('sync', 'quorum')) end as synchronous,
         case when pg_has_role(current_user, 'pg_read_all_stats', 'usage')
              then count(*) filter (where sync_state in ('sync', 'quorum', 'potential')) end as candidates
    from pg_stat_replication`;

export async function readServerFacts(
  client: Client,
  wanted: Limits,
  clock: Clock = systemClock,
): Promise<ServerFacts> {
  const sentAtMs = clock.nowMs();
  const sentMs = clock.elapsedMs();
  const [row] = await send<Row>(client, FACTS);
  const clockErrorMs = (clock.elapsedMs() - sentMs) / 2;
  if (!row) throw new Error("the database said nothing about itself");
  const standbys = await readStandbys(client);
  const { defaults } = row;
  return {
    role: row.role,
    pooled: isPooled(client, row.pid),
    sessionDefaults: {
      statementTimeoutMs: Number(defaults["statement_timeout"]),
      idleTransactionTimeoutMs: Number(defaults["idle_in_transaction_session_timeout"]),
      isolation: defaults["default_transaction_isolation"] ?? "",
    },
    wanted,
    storage: row.isNeon ? "neon" : "own",
    fsync: defaults["fsync"] === "on",
    fullPageWrites: defaults["full_page_writes"] === "on",
    clockAheadMs: row.now.getTime() - (sentAtMs + clockErrorMs),
    clockErrorMs,
    certificates: readCertificates(client),
    readAtMs: sentAtMs,
    replication: {
      synchronousCommit: defaults["synchronous_commit"] ?? "",
      synchronousStandbyNames: defaults["synchronous_standby_names"] ?? "",
      standbys: standbys === null ? null : Number(standbys.connected),
      synchronousStandbys: standbys?.synchronous == null ? null : Number(standbys.synchronous),
      candidates: standbys?.candidates == null ? null : Number(standbys.candidates),
    },
  };
}

async function readStandbys(client: Client): Promise<Standbys | null> {
  try {
    const [row] = await send<Standbys>(client, STANDBYS);
    return row ?? null;
  } catch (error) {
    if (isWithheld(error)) return null;
    throw error;
  }
}
