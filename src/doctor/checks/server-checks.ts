import { type ServerFacts, standbyLackOf } from "../../core/server-facts.ts";
import type { ServerLook } from "../../db/line/look-at-servers.ts";
import { type Advice, adviceOn } from "../../telemetry/log/server-advice.ts";
import { type Check, failed, type CheckFinding, type Found, ok, skipped, warning } from "../check.ts";
import { usedBytesOf } from "../../core/disk-facts.ts";
import { readDiskFacts } from "../disk-store.ts";
import { readDatabaseFacts } from "../facts-store.ts";
import { inNumbers } from "../figures.ts";
import { configOf, databaseOf, type Patient } from "../patient.ts";
import { judgeSpace } from "./host-checks.ts";

const OLDEST_SERVER = 15;
/** The one that listens, beside the pools. */
const BESIDE_POOLS = 1;

/** Whether a server answers, what it is, and how it is set. */
export const SERVER_CHECKS: readonly Check[] = [
  {
    id: "database-reachable",
    title: "connection",
    finds:
      "No server of `database.url` answers, or none accepts writes. It warns if a certificate of the connection ends soon.",
    fix: "Check that the server runs, that `database.url` names it, and that its user and password are right.",
    after: ["settings-load", "settings-required"],
    run: async (patient) => {
      const found = judgeServers(await patient.lookAtServers(), patient);
      return found.some(({ status }) => status === "failed")
        ? found
        : [...found, ...(await endingCertificates(patient))];
    },
  },
  {
    id: "database-version",
    title: "PostgreSQL",
    finds: `PostgreSQL is older than ${OLDEST_SERVER}.`,
    fix: `Upgrade the server to PostgreSQL ${OLDEST_SERVER} or newer.`,
    after: ["database-reachable"],
    run: async (patient) => judgeVersion(await readDatabaseFacts(databaseOf(patient))),
  },
  {
    id: "database-encoding",
    title: "encoding",
    finds: "The database does not store UTF-8, so some names cannot be stored.",
    fix: "Create a database with `encoding 'UTF8'` and move the data with pg_dump.",
    after: ["database-reachable"],
    run: async (patient) => {
      const { encoding } = await readDatabaseFacts(databaseOf(patient));
      return encoding === "UTF8" ? ok(encoding) : failed(`${encoding}, not UTF8`);
    },
  },
  {
    id: "database-connections",
    title: "connections",
    finds:
      "`database.pool_size` and `operator.connections`, times workers, need more connections than the server, the database or the role allows.",
    fix: "Lower database.pool_size or operator.connections, start fewer workers, or raise max_connections and restart the server.",
    after: ["database-reachable"],
    run: async (patient) => {
      const facts = await databaseOf(patient).inspect();
      if (facts?.pooled) return ok("through a pooler, which limits them itself");
      const found = await readDatabaseFacts(databaseOf(patient));
      const limits = [found.connections, found.roleConnections, found.databaseConnections].filter(
        (one) => one !== null,
      );
      const allowed = Math.min(...limits);
      const { database, operator } = configOf(patient);
      const needed = (database.poolSize + operator.connections + BESIDE_POOLS) * patient.workers;
      const sum = `${inNumbers(patient.workers, "worker")} may open ${inNumbers(needed)}; the server allows ${inNumbers(allowed)} to ${found.role}`;
      return needed > allowed ? failed(sum) : ok(sum);
    },
  },
  {
    id: "database-durability",
    title: "durability",
    finds: "`fsync` or `full_page_writes` is off: a crash of the machine can damage the ledger.",
    fix: "Set fsync = on and full_page_writes = on in postgresql.conf and reload the server.",
    after: ["database-reachable"],
    run: (patient) =>
      advised(
        patient,
        ["fsync_off", "full_page_writes_off"],
        ({ storage }) =>
          storage === "neon"
            ? "Neon keeps commits on its storage servers; fsync of its PostgreSQL does not matter"
            : "fsync and full_page_writes are on",
        failed,
      ),
  },
  {
    id: "database-standby",
    title: "standby",
    finds:
      "No connected standby is synchronous, or fewer than commits wait for, or one that `synchronous_standby_names` lists is missing. It fails if `ledger.require_synchronous_standby` is on and requests get 503.",
    fix: "Run a synchronous standby: docs/operate/high-availability.md.",
    after: ["database-reachable"],
    run: async (patient) => {
      const facts = await databaseOf(patient).inspect();
      if (facts === null) return skipped("the database runs inside the process");
      const required = configOf(patient).ledger.requireSynchronousStandby === "on";
      const lack = standbyLackOf(facts.replication);
      if (required && lack !== null)
        return failed("required by ledger.require_synchronous_standby and missing: every request gets 503");
      if (facts.replication.standbys === null && lack !== "unawaited")
        return skipped(`the server does not show its standbys to ${facts.role} (docs/operate/managed-postgresql.md)`);
      const findings = ["no_standby", "standby_unnamed", "standby_unawaited", "standby_absent", "standby_spare"];
      const well = ({ storage }: ServerFacts): string =>
        storage === "neon" ? "commits wait for Neon's storage servers" : "a synchronous standby is connected";
      return advised(patient, findings, well, warning);
    },
  },
  {
    id: "database-clock",
    title: "clock",
    finds: "The clocks of this machine and of the database server differ by more than 1 second.",
    fix: "Synchronize both clocks with NTP, for example with chrony or systemd-timesyncd.",
    after: ["database-reachable"],
    run: (patient) => advised(patient, ["clock"], () => "agrees with this machine within 1 s", warning),
  },
  {
    id: "database-sessions",
    title: "session settings",
    finds:
      "The role's default isolation is not read committed, or calls go through a pooler and the role has no timeouts.",
    fix: "Set the named defaults for the role with `alter role … set …`.",
    after: ["database-reachable"],
    run: (patient) =>
      advised(patient, ["pooled_without_limits", "isolation"], () => "isolation and timeouts are as needed", warning),
  },
  {
    id: "database-disk",
    title: "database disk",
    finds:
      "Less than 10% or 1 GiB is free for the data folder; less than 100 MiB fails. On another machine it is checked against `database.disk_bytes`, if that is set. Or a replication slot holds back more WAL than `max_wal_size`, or has lost some.",
    fix: "Free some space on the database's disk, or move its data folder to a larger one.",
    after: ["database-reachable"],
    run: async (patient) => {
      const { dataFolder, isLocal } = await readDatabaseFacts(databaseOf(patient));
      if (databaseOf(patient).connections() === null) return skipped("the database runs inside the process");
      const disk = await readDiskFacts(databaseOf(patient));
      const space = dataFolder !== null && isLocal ? patient.host.spaceOf(dataFolder) : null;
      const slots = disk.slotsBeyondLimit.map((name) =>
        warning(`replication slot ${name} holds back too much WAL`, SLOT_FIX),
      );
      if (space !== null) return [judgeSpace(space, dataFolder ?? ""), ...slots];
      const { diskBytes: totalBytes } = configOf(patient).database;
      if (totalBytes > 0) {
        const freeBytes = Math.max(0, totalBytes - usedBytesOf(disk));
        return [judgeSpace({ freeBytes, totalBytes }, "the database, by database.disk_bytes"), ...slots];
      }
      return slots.length > 0
        ? slots
        : skipped("the data folder cannot be seen from here, and database.disk_bytes is not set");
    },
  },
];

const SLOT_FIX =
  "Start the standby that uses it, or drop it: select pg_drop_replication_slot(NAME). See docs/operate/failure-modes.md#the-databases-disk-fills.";

function judgeServers(looks: readonly ServerLook[], { explain }: Patient): CheckFinding[] {
  const primary = looks.find(({ state }) => state === "primary");
  const hosts = looks.map(({ host, state }) => `${host} (${state})`).join(", ");
  const unreachable = looks.filter(({ state }) => state === "unreachable");
  if (primary === undefined) {
    if (unreachable.length < looks.length)
      return [
        failed(
          `no server accepts writes: ${hosts}`,
          "Promote the standby, or correct database.url to name the primary.",
        ),
      ];
    return unreachable.map(({ host, error }) => failed(`${host}: ${explain(error)}`));
  }
  return [
    ok(
      looks.length === 1
        ? `${primary.host} accepts writes`
        : `${primary.host} is the primary of ${inNumbers(looks.length, "server")}`,
    ),
    ...unreachable.map(({ host, error }) =>
      warning(`${host}: ${explain(error)}`, "Start this server, or remove it from database.url."),
    ),
  ];
}

export function judgeVersion({ version, versionNumber }: { version: string; versionNumber: number }): CheckFinding {
  return versionNumber >= OLDEST_SERVER * 10_000
    ? ok(version)
    : failed(`${version}; ${OLDEST_SERVER} or newer is needed`);
}

async function endingCertificates(patient: Patient): Promise<CheckFinding[]> {
  const facts = await databaseOf(patient).inspect();
  if (facts === null) return [];
  const about = adviceOn(facts).filter(({ finding }) => finding.endsWith("certificate"));
  return about.map((advice) => judge(advice, warning));
}

/** What the gateway itself would say about the server at its start. */
async function advised(
  patient: Patient,
  findings: readonly string[],
  well: (facts: ServerFacts) => string,
  level: (message: string, fix: string) => CheckFinding,
): Promise<Found> {
  const facts = await databaseOf(patient).inspect();
  if (facts === null) return skipped("the database runs inside the process");
  const about = adviceOn(facts).filter(({ finding }) => findings.includes(finding));
  return about.length === 0 ? ok(well(facts)) : about.map((advice) => judge(advice, level));
}

const judge = ({ level, message, fix }: Advice, bad: (message: string, fix: string) => CheckFinding): CheckFinding =>
  level === "info" ? ok(`${message} (docs/operate/high-availability.md)`) : bad(message, fix);
