import type { GaugeRow } from "./metric-table.ts";

/** What the database server says of itself, about every 15 seconds. What it does not say, or not to this role, has no series. */
export const DATABASE_GAUGES = {
  standbysNeeded: {
    name: "tollgate_database_standbys_needed",
    help: "Standbys that a commit waits for, by `synchronous_standby_names`; 0 if it is empty.",
    labels: [],
    overWorkers: "max",
  },
  standbysConfirming: {
    name: "tollgate_database_standbys_confirming",
    help: "Connected standbys that confirm commits (`sync` or `quorum`). Below `tollgate_database_standbys_needed`, every charge waits. Only a role with `pg_read_all_stats` sees which they are: for others the series exists only while no standby at all is connected, as 0.",
    labels: [],
    overWorkers: "min",
  },
  standbysToSpare: {
    name: "tollgate_database_standbys_to_spare",
    help: "Standbys that can be lost before commits wait. Only if `synchronous_standby_names` lists more than a commit waits for, and for a role with `pg_read_all_stats`.",
    labels: [],
    overWorkers: "min",
  },
  standbysSpareNamed: {
    name: "tollgate_database_standbys_spare_named",
    help: "How many `synchronous_standby_names` lists beyond those that a commit waits for. Only together with `tollgate_database_standbys_to_spare`.",
    labels: [],
    overWorkers: "max",
  },
  clockAhead: {
    name: "tollgate_database_clock_ahead_seconds",
    help: "By how much the clock of the database server is ahead of this process's; negative if it is behind. True within `tollgate_database_clock_uncertainty_seconds`.",
    labels: [],
    overWorkers: "average",
  },
  clockUncertainty: {
    name: "tollgate_database_clock_uncertainty_seconds",
    help: "Half of the time that the question for the server's clock took: a slow network or a busy process is not a wrong clock.",
    labels: [],
    overWorkers: "max",
  },
} as const satisfies Record<string, GaugeRow>;

/** Of the database's disk, about every five minutes. */
export const DISK_GAUGES = {
  databaseBytes: {
    name: "tollgate_database_size_bytes",
    help: "Size of Tollgate's database.",
    labels: [],
    overWorkers: "max",
  },
  tablespaceBytes: {
    name: "tollgate_database_tablespaces_bytes",
    help: "Size of the tablespaces that the role may measure, with every database in them: the database's own, or all for a role with `pg_read_all_stats`.",
    labels: [],
    overWorkers: "max",
  },
  walBytes: {
    name: "tollgate_database_wal_bytes",
    help: "Size of the WAL folder. Only for a role with `pg_monitor`.",
    labels: [],
    overWorkers: "max",
  },
  slotsBeyondLimit: {
    name: "tollgate_database_slots_beyond_limit",
    help: "Replication slots that hold back more WAL than `max_wal_size` (`wal_status` extended), or whose WAL is removed (unreserved, lost).",
    labels: [],
    overWorkers: "max",
  },
  slotHeldBytes: {
    name: "tollgate_database_slot_held_bytes",
    help: "WAL that the replication slot furthest behind holds back. Only if there is a slot.",
    labels: [],
    overWorkers: "max",
  },
  slotSafeBytes: {
    name: "tollgate_database_slot_safe_bytes",
    help: "WAL that can be written before a replication slot loses some (`safe_wal_size`). Only if there is a slot and `max_slot_wal_keep_size` is set.",
    labels: [],
    overWorkers: "min",
  },
  diskBytes: {
    name: "tollgate_database_disk_bytes",
    help: "Size of the database's disk, as `database.disk_bytes` says. Only if it is set: PostgreSQL does not know it.",
    labels: [],
    overWorkers: "max",
  },
} as const satisfies Record<string, GaugeRow>;

const USED_FOR =
  "by use: `outgoing` (providers, identity provider, webhooks; the first 100 hosts), `database` (the server's), `database_client`, or `trusted` (of NODE_EXTRA_CA_CERTS the one that ends first)";

/** Of certificates that connections were made with in the last day. */
export const CERTIFICATE_GAUGES = {
  expires: {
    name: "tollgate_certificate_expires_timestamp_seconds",
    help: `When a certificate ends, in seconds since 1970, ${USED_FOR}. Only of connections of the last day.`,
    labels: ["used_for", "host"],
    overWorkers: "min",
  },
  lifetime: {
    name: "tollgate_certificate_lifetime_seconds",
    help: "For how long the same certificate is valid altogether: one of a few days is renewed late by intention.",
    labels: ["used_for", "host"],
    overWorkers: "max",
  },
} as const satisfies Record<string, GaugeRow>;
