import { endsSoon } from "../../core/tls-certificate.ts";
import {
  type ServerFacts,
  sparesOf,
  standbyDemandOf,
  type StandbyLack,
  standbyLackOf,
} from "../../core/server-facts.ts";

/** One thing about a database server that its operator should know, and how it is mended. */
export type Advice = { level: "info" | "warn"; finding: string; message: string; fix: string };

/** Two clocks that are set over the network are closer than this. */
const CLOCK_TOLERANCE_MS = 1_000;

/** What an operator must know of the database server, one line each; empty when all is well. */
export const adviceOn = (facts: ServerFacts): Advice[] => [
  ...onDisk(facts),
  ...onStandby(facts),
  ...onClock(facts),
  ...onSession(facts),
  ...onCertificates(facts),
];

function onDisk({ storage, fsync, fullPageWrites }: ServerFacts): Advice[] {
  if (storage === "neon") return [];
  const advice: Advice[] = [];
  if (!fsync)
    advice.push({
      level: "warn",
      finding: "fsync_off",
      message: "the database runs with fsync off: if its machine crashes, charges can be lost and the ledger damaged",
      fix: "Set fsync = on in postgresql.conf and reload the server.",
    });
  if (!fullPageWrites)
    advice.push({
      level: "warn",
      finding: "full_page_writes_off",
      message: "the database runs with full_page_writes off: if its machine crashes, the ledger can be damaged",
      fix: "Set full_page_writes = on in postgresql.conf and reload the server.",
    });
  return advice;
}

/** How a server comes to have a synchronous standby. */
export const STANDBY_FIXES: Record<StandbyLack | "unread", string> = {
  unnamed: "Set synchronous_standby_names, such as 'ANY 1 (*)', in postgresql.conf and reload the server.",
  unawaited:
    "Set synchronous_commit to on, remote_write or remote_apply for the role (alter role … set synchronous_commit = 'on').",
  absent: "Start the standbys that are missing, or correct synchronous_standby_names and reload the server.",
  unread: "The database did not answer; see the lines about it.",
};

function onStandby({ storage, replication, role }: ServerFacts): Advice[] {
  const lack = standbyLackOf(replication);
  if (storage === "neon" && lack !== "unawaited") return [];
  if (lack === null) return onSpares({ replication });
  if (lack === "unnamed" && replication.standbys === null)
    return [
      {
        level: "info",
        finding: "standbys_unseen",
        message: `the server does not show its standbys to ${role}: whether a failover can lose charges depends on the service`,
        fix: "See docs/operate/managed-postgresql.md.",
      },
    ];
  if (lack === "unnamed" && replication.standbys === 0)
    // So it is on every single server, by choice or by default: worth knowing, and nothing is wrong.
    return [
      {
        level: "info",
        finding: "no_standby",
        message:
          "no standby is connected: unless the storage is replicated, losing the database's disk loses every charge since the last backup",
        fix: "Archive WAL beside base backups, run a synchronous standby, or have the service replicate the storage.",
      },
    ];
  const texts: Record<StandbyLack, Pick<Advice, "message" | "fix">> = {
    unnamed: {
      message: "no standby is synchronous: a failover can lose the last acknowledged charges",
      fix: `${STANDBY_FIXES.unnamed} To reject requests without a synchronous standby, set ledger.require_synchronous_standby.`,
    },
    unawaited: {
      message: `commits do not wait for the synchronous standby because synchronous_commit is ${replication.synchronousCommit}: a failover can lose the last charges`,
      fix: setForRole(role, { synchronous_commit: "on" }),
    },
    absent: {
      message: absence({ replication }),
      fix: STANDBY_FIXES.absent,
    },
  };
  return [{ level: "warn", finding: `standby_${lack}`, ...texts[lack] }];
}

function absence({ replication }: Pick<ServerFacts, "replication">): string {
  const connected = replication.synchronousStandbys ?? replication.standbys;
  if (connected === 0)
    return "synchronous_standby_names is set but no such standby is connected: every charge waits for one";
  const { needed } = standbyDemandOf(replication.synchronousStandbyNames);
  return `every charge waits for ${needed} synchronous standbys, and ${connected} of them can confirm it`;
}

function onSpares({ replication }: Pick<ServerFacts, "replication">): Advice[] {
  const spares = sparesOf(replication);
  if (spares === null || spares.left >= spares.named) return [];
  const missing = spares.named - spares.left;
  const next = spares.left === 0 ? "if one more is lost, every charge waits" : `${spares.left} more can be lost`;
  return [
    {
      level: "warn",
      finding: "standby_spare",
      message: `synchronous_standby_names lists standbys that are not connected (${missing}): ${next}`,
      fix: "Start the standby that is missing, or take it out of synchronous_standby_names and reload the server.",
    },
  ];
}

function onClock({ clockAheadMs, clockErrorMs }: ServerFacts): Advice[] {
  if (Math.abs(clockAheadMs) - clockErrorMs <= CLOCK_TOLERANCE_MS) return [];
  const seconds = (Math.abs(clockAheadMs) / 1_000).toFixed(1);
  const way = clockAheadMs > 0 ? "ahead of" : "behind";
  return [
    {
      level: "warn",
      finding: "clock",
      message: `the database server's clock is ${seconds} s ${way} this machine's`,
      fix: "Synchronize both clocks with NTP, for example with chrony or systemd-timesyncd.",
    },
  ];
}

function onCertificates({ certificates, readAtMs }: ServerFacts): Advice[] {
  return certificates
    .filter((one) => endsSoon(one, readAtMs))
    .map(({ usedFor, endsAtMs }) => {
      const isOurs = usedFor === "database_client";
      return {
        level: "warn",
        finding: isOurs ? "client_certificate" : "certificate",
        message: `the ${isOurs ? "client certificate for the database" : "certificate of the database server"} ends on ${new Date(endsAtMs).toISOString().slice(0, 10)}`,
        fix: isOurs ? "Renew it and restart Tollgate." : "Renew it and reload the server.",
      };
    });
}

function onSession({ pooled, role, sessionDefaults, wanted }: ServerFacts): Advice[] {
  const advice: Advice[] = [];
  if (pooled && !isWithin(sessionDefaults, wanted))
    advice.push({
      level: "warn",
      finding: "pooled_without_limits",
      message: `calls go through a pooler, and the role ${role} has no timeouts of its own: a call that hangs can keep its locks indefinitely`,
      fix: setForRole(role, {
        statement_timeout: `${wanted.statementTimeoutMs}ms`,
        idle_in_transaction_session_timeout: `${wanted.idleTransactionTimeoutMs}ms`,
      }),
    });
  if (sessionDefaults.isolation !== "read committed")
    advice.push({
      level: "warn",
      finding: "isolation",
      message: `transactions of the role ${role} are ${sessionDefaults.isolation} by default; the ledger needs read committed`,
      fix: setForRole(role, { default_transaction_isolation: "read committed" }),
    });
  return advice;
}

/** Any limit up to a few times ours will do: what matters is that there is one. */
const LOOSE = 4;

function isWithin(found: ServerFacts["sessionDefaults"], wanted: ServerFacts["wanted"]): boolean {
  const bounded = (foundMs: number, wantedMs: number): boolean => foundMs > 0 && foundMs <= LOOSE * wantedMs;
  return (
    bounded(found.statementTimeoutMs, wanted.statementTimeoutMs) &&
    bounded(found.idleTransactionTimeoutMs, wanted.idleTransactionTimeoutMs)
  );
}

/** Statements to paste, as a superuser or as the role itself. */
function setForRole(role: string, settings: Record<string, string>): string {
  const name = `"${role.replaceAll('"', '""')}"`;
  const statements = Object.entries(settings).map(([key, value]) => `alter role ${name} set ${key} = '${value}';`);
  return `As this role or as a superuser, run: ${statements.join(" ")} Then restart the pooler, if there is one, and Tollgate.`;
}
