import { z } from "zod";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { dateOf, instant } from "../instant.ts";

const poolSchema = z
  .object({
    most: z.int().describe("Connections at most."),
    open: z.int().describe("Connections that are open."),
    idle: z.int().describe("Open connections that are not in use."),
    waiting: z
      .int()
      .describe("Callers that wait for one.")
      .meta({ examples: [0] }),
  })
  .meta({ id: "ConnectionPool" });

const eventLoopSchema = z
  .object({
    p50_ms: z
      .number()
      .describe("Median delay, in milliseconds.")
      .meta({ examples: [0.1] }),
    p99_ms: z
      .number()
      .describe("99th percentile, in milliseconds.")
      .meta({ examples: [1.4] }),
    most_ms: z
      .number()
      .describe("Longest delay, in milliseconds.")
      .meta({ examples: [8.2] }),
    over_seconds: z
      .int()
      .describe("Over how many seconds it was measured.")
      .meta({ examples: [60] }),
  })
  .transform((lag) => ({
    p50Ms: lag.p50_ms,
    p99Ms: lag.p99_ms,
    mostMs: lag.most_ms,
    overSeconds: lag.over_seconds,
  }));

const processSchema = z
  .object({
    id: z.uuid(),
    started_at: instant.describe("When it started."),
    memory_bytes: z
      .int()
      .describe("Resident memory.")
      .meta({ examples: [180_000_000] }),
    event_loop: eventLoopSchema.describe("How late the event loop was."),
  })
  .transform(({ id, started_at, memory_bytes, event_loop }) => ({
    id,
    startedAtMs: started_at,
    memoryBytes: memory_bytes,
    eventLoop: event_loop,
  }));

const databaseSchema = z
  .object({
    version: z
      .string()
      .nullable()
      .describe("Version of PostgreSQL; null: it does not answer.")
      .meta({ examples: ["17.2"] }),
    answer_ms: z
      .number()
      .nullable()
      .describe("How long a small question took; null: no answer.")
      .meta({ examples: [0.6] }),
    embedded: z.boolean().describe("True if the database is inside the process, as with `tollgate dev`."),
    pool: poolSchema.nullable().describe("Connections for requests; null: embedded."),
    operator_pool: poolSchema.nullable().describe("Connections for operators; null: those for requests."),
  })
  .transform(({ answer_ms, embedded, operator_pool, ...rest }) => ({
    ...rest,
    answerMs: answer_ms,
    isEmbedded: embedded,
    operatorPool: operator_pool,
  }));

const leaseSchema = z
  .object({
    id: z.uuid(),
    alive: z.boolean().describe("True if its lease has not run out."),
    renewing_since: instant.describe("Since when it has renewed its lease without a gap."),
    lease_until: instant.describe("Until when its lease holds."),
  })
  .meta({ id: "LeasedProcess" })
  .transform(({ id, alive, renewing_since, lease_until }) => ({
    id,
    isAlive: alive,
    renewingSinceMs: renewing_since,
    leaseUntilMs: lease_until,
  }));

const migrationSchema = z
  .object({ name: z.string().meta({ examples: ["0003_ledger"] }), at: instant.describe("When it was applied.") })
  .transform(({ name, at }) => ({ name, atMs: at }));

const ledgerSchema = z
  .object({
    quarantined: z
      .int()
      .describe("Requests that could not be ended.")
      .meta({ examples: [0] }),
    unswept: z
      .int()
      .describe("Reservations that have waited for the sweep for 2 minutes.")
      .meta({ examples: [0] }),
    misplaced: z
      .int()
      .describe("Charges in the default partition.")
      .meta({ examples: [0] }),
    oldest_owed: instant.nullable().describe("Oldest hour whose usage sum is 3 hours late; null: none is."),
    unpartitioned: z
      .array(z.string())
      .describe("Of today and the next 2 days, those without a partition.")
      .meta({ examples: [[]] }),
  })
  .transform(({ oldest_owed, ...rest }) => ({ ...rest, oldestOwedMs: oldest_owed }));

export const statusSchema = z
  .object({
    status: z.enum(["ok", "degraded", "unavailable"]).describe("As `/healthz` says it."),
    reasons: z.array(z.string()).describe("What is not as it should be."),
    version: z
      .string()
      .describe("Version of Tollgate.")
      .meta({ examples: ["0.1.0"] }),
    commit: z
      .string()
      .nullable()
      .describe("Commit it was built from; null: not known.")
      .meta({ examples: ["5d2c7e0b9a4f1e8d6c3b2a190f8e7d6c5b4a3928"] }),
    schema: z
      .object({
        migration: z
          .string()
          .describe("Last migration.")
          .meta({ examples: ["0039_baseline"] }),
        edition: z
          .int()
          .nullable()
          .describe("Edition of the database functions.")
          .meta({ examples: [1] }),
      })
      .describe("Schema that this version brings. The database may have a newer one: see `migrations`."),
    node: z
      .string()
      .describe("Version of Node.js.")
      .meta({ examples: ["26.1.0"] }),
    workers: z.int().describe("Processes of this host that share the port."),
    process: processSchema.describe("The process that answers."),
    database: databaseSchema.describe("The database, as this process sees it."),
    migrations: z
      .object({
        applied: z.array(migrationSchema).describe("In their order."),
        pending: z
          .array(z.string())
          .nullable()
          .describe(
            "Not applied yet; null: a version of Tollgate has migrated the database with whose schema this one cannot serve.",
          )
          .meta({ examples: [[]] }),
      })
      .nullable()
      .describe("Migrations; null: the database does not answer."),
    processes: z
      .array(leaseSchema)
      .nullable()
      .describe("Gateway processes on this database, at most 500; null: it does not answer."),
    ledger: ledgerSchema.nullable().describe("What background tasks have left; null: the database does not answer."),
  })
  .meta({ id: "SystemStatus" });

/** What a process and its database are like. */
export type ShownStatus = ReadAs<typeof statusSchema>;

export const statusView = (status: ShownStatus): WrittenAs<typeof statusSchema> => ({
  status: status.status,
  reasons: status.reasons,
  version: status.version,
  commit: status.commit,
  schema: status.schema,
  node: status.node,
  workers: status.workers,
  process: {
    id: status.process.id,
    started_at: dateOf(status.process.startedAtMs),
    memory_bytes: status.process.memoryBytes,
    event_loop: {
      p50_ms: status.process.eventLoop.p50Ms,
      p99_ms: status.process.eventLoop.p99Ms,
      most_ms: status.process.eventLoop.mostMs,
      over_seconds: status.process.eventLoop.overSeconds,
    },
  },
  database: {
    version: status.database.version,
    answer_ms: status.database.answerMs,
    embedded: status.database.isEmbedded,
    pool: status.database.pool,
    operator_pool: status.database.operatorPool,
  },
  migrations: status.migrations && {
    applied: status.migrations.applied.map(({ name, atMs }) => ({ name, at: dateOf(atMs) })),
    pending: status.migrations.pending,
  },
  processes:
    status.processes?.map(({ id, isAlive, renewingSinceMs, leaseUntilMs }) => ({
      id,
      alive: isAlive,
      renewing_since: dateOf(renewingSinceMs),
      lease_until: dateOf(leaseUntilMs),
    })) ?? null,
  ledger: status.ledger && {
    quarantined: status.ledger.quarantined,
    unswept: status.ledger.unswept,
    misplaced: status.ledger.misplaced,
    oldest_owed: dateOf(status.ledger.oldestOwedMs),
    unpartitioned: status.ledger.unpartitioned,
  },
});

const checkSchema = z
  .object({
    id: z.string().meta({ examples: ["ledger-sweep"] }),
    group: z
      .string()
      .describe("What it is about.")
      .meta({ examples: ["ledger"] }),
    title: z
      .string()
      .describe("What is checked, in a few words.")
      .meta({ examples: ["sweep"] }),
    status: z
      .enum(["ok", "warning", "failed", "skipped"])
      .describe("`failed`: clients or charges suffer now. `skipped`: it could not be found out."),
    message: z
      .string()
      .describe("What was found.")
      .meta({ examples: ["nothing waits; 2 gateways run"] }),
    fix: z.string().nullable().describe("What to do; null: nothing."),
  })
  .meta({ id: "DoctorCheck" });

export const examinationSchema = z
  .object({ ok: z.boolean().describe("False if a check failed."), at: instant, checks: z.array(checkSchema) })
  .transform(({ at: atMs, ...rest }) => ({ ...rest, atMs }));

/** What the checks of `tollgate doctor` found. */
export type ShownExamination = ReadAs<typeof examinationSchema>;

export const examinationView = ({ ok, atMs, checks }: ShownExamination): WrittenAs<typeof examinationSchema> => ({
  ok,
  at: dateOf(atMs),
  checks: checks.map(({ id, group, title, status, message, fix }) => ({ id, group, title, status, message, fix })),
});
