import type { LedgerTrouble } from "../core/ledger-state.ts";
import { codeOf, DatabaseBusyError, NotPrimaryError, sqlStateOf, whyRefused } from "./database-error.ts";

type Words = readonly [words: string, fix: string];

const START = "Start PostgreSQL, or correct database.url; `tollgate doctor` tries both.";
const ROUTE = "Check the network between this host and the database: `tollgate doctor`.";
const LOCKS =
  "Find who holds the lock: select pid, usename, application_name, query from pg_stat_activity where pid = any (select unnest(pg_blocking_pids(pid)) from pg_stat_activity).";
const SCHEMA = "Run `tollgate doctor`; if migrations are pending, run `tollgate migrate`.";
const DISK = "Free space there: look at `df -h` on the server. No restart of Tollgate is needed.";
/** What Aurora answers where PostgreSQL would say what it writes, unless it decodes logically. */
export const TIMELINE_HIDDEN = /^wal_level must be set to 'logical'/;
export const SHOW_TIMELINE =
  "On Aurora, set rds.logical_replication = 1 in the parameter group of the cluster and restart its writer: docs/operate/managed-postgresql.md.";
const CERTIFICATE = "Renew the certificate, or correct what database.url says about TLS.";

/** Of sockets and TLS, by the code of Node. */
const CODES: Readonly<Record<string, Words>> = {
  ECONNREFUSED: ["nothing listens at the address of the database", START],
  ENOTFOUND: [
    "the host name of the database cannot be resolved",
    "Check DNS with `getent hosts`, or correct database.url.",
  ],
  EAI_AGAIN: [
    "DNS does not answer for the host name of the database",
    "Check the resolver of this host with `getent hosts`.",
  ],
  EHOSTUNREACH: ["there is no route to the database", ROUTE],
  ENETUNREACH: ["there is no route to the database", ROUTE],
  ETIMEDOUT: ["the database does not answer connections", ROUTE],
  ECONNRESET: ["connections to the database are cut", ROUTE],
  ECONNABORTED: ["connections to the database are cut", ROUTE],
  EPIPE: ["connections to the database are cut", ROUTE],
  EMFILE: [
    "this process may open no more files",
    "Raise its limit of open files (LimitNOFILE in the systemd unit), and restart it.",
  ],
  ENFILE: ["this host may open no more files", "Raise fs.file-max, and find out what holds so many files open."],
  CERT_HAS_EXPIRED: ["the TLS certificate of the database has expired", CERTIFICATE],
  CERT_NOT_YET_VALID: ["the TLS certificate of the database is not valid yet", "Compare the clocks of both hosts."],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["the TLS certificate of the database is not trusted", CERTIFICATE],
  SELF_SIGNED_CERT_IN_CHAIN: ["the TLS certificate of the database is not trusted", CERTIFICATE],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["the TLS certificate of the database is not trusted", CERTIFICATE],
  ERR_TLS_CERT_ALTNAME_INVALID: ["the TLS certificate of the database is for another host", CERTIFICATE],
};

/** Of PostgreSQL, by SQLSTATE, or by its first two characters where one remedy holds for the class. */
const STATES: Readonly<Record<string, Words>> = {
  "08": ["the connection to the database breaks", ROUTE],
  "08P01": [
    "the pooler or the database rejects what is sent",
    "Read the log of the pooler; see docs/operate/poolers.md.",
  ],
  "25006": [
    "the database is read-only",
    "Find out why: select pg_is_in_recovery(), current_setting('default_transaction_read_only'). Promote a standby, or make it writable.",
  ],
  "28": [
    "the database rejects the role or its password",
    "Correct database.url, or the role and pg_hba.conf at the server.",
  ],
  "3D000": ["the database named in database.url does not exist", "Create it, or correct database.url."],
  "40001": ["transactions fail because of each other", "Look for other programs that write to these tables."],
  "40P01": ["transactions wait for each other and are cancelled", "Read the deadlocks in the log of PostgreSQL."],
  "42501": [
    "the role may not do what the ledger needs",
    "As owner of the tables, run `tollgate migrate --serving-role NAME`.",
  ],
  "3F000": ["the schema of Tollgate is not there", SCHEMA],
  "42": ["tables or functions of Tollgate are missing or differ", SCHEMA],
  "53100": ["a disk of PostgreSQL is full", DISK],
  "53200": ["PostgreSQL is out of memory", "Look at the memory of the server; lower work_mem or max_connections."],
  "53300": [
    "PostgreSQL has no connection left",
    "See who has them: select usename, application_name, count(*) from pg_stat_activity group by 1, 2. Lower database.pool_size, use a pooler, or raise max_connections.",
  ],
  "53": ["PostgreSQL lacks a resource", "Read the log of PostgreSQL."],
  "54": ["a limit of PostgreSQL is reached", "Read the log of PostgreSQL."],
  "55P03": ["calls wait for a lock for too long", LOCKS],
  "57014": ["calls take longer than database.statement_timeout_ms and are cancelled", LOCKS],
  "57P01": ["PostgreSQL is shutting down", START],
  "57P02": ["PostgreSQL has crashed and restarts", "Read its log for what ended it."],
  "57P03": ["PostgreSQL is starting or recovering", "Wait until it accepts connections: pg_isready."],
  "58": [
    "PostgreSQL cannot read or write its files",
    "Read the log of PostgreSQL and of the kernel: a disk may be failing.",
  ],
  XX001: ["data of PostgreSQL is damaged", "Stop writing and restore: docs/operate/upgrade-and-back-up.md."],
  XX002: ["an index of PostgreSQL is damaged", "REINDEX it, and check the disk: a disk may be failing."],
};

/** Where a call is not answered, and nothing more is known. */
export const HANGS: LedgerTrouble = {
  words: "the database takes calls and does not answer them",
  fix: "Look at pg_stat_activity and at the disk of the server. Requests work again when it answers.",
  sqlState: null,
};

const MESSAGES: readonly (readonly [RegExp, Words])[] = [
  [TIMELINE_HIDDEN, ["the server does not say on which timeline it writes, as on Aurora", SHOW_TIMELINE]],
  [/^Query read timeout/, ["the database takes calls and does not answer them", ROUTE]],
  [
    /^(timeout expired|Connection terminated due to connection timeout)/,
    ["the database does not answer connections", ROUTE],
  ],
  [
    /^(Connection terminated|Client has encountered a connection error)/,
    ["connections to the database are cut", ROUTE],
  ],
];

/** What is wrong with a database that fails, in words. Never its message: that may have values of a request in it. */
export function troubleOf(error: unknown): LedgerTrouble {
  const sqlState = sqlStateOf(error);
  const refused = whyRefused(error);
  if (refused !== null) return { words: refused, fix: "Run `tollgate doctor`.", sqlState };
  if (error instanceof DatabaseBusyError) {
    // Where connections cannot be made, what says so is the cause.
    const cause = error.cause === undefined ? null : knownTrouble(error.cause);
    const [words, fix] = [
      "no database connection becomes free",
      "Look at pg_stat_activity for calls that wait, then at database.pool_size.",
    ];
    return cause ?? { words, fix, sqlState: null };
  }
  if (error instanceof NotPrimaryError)
    return {
      words: "no server of database.url accepts writes",
      fix: "Promote a standby, or bring the primary back. No restart of Tollgate is needed.",
      sqlState,
    };
  return knownTrouble(error) ?? unknownTrouble(sqlState);
}

function knownTrouble(error: unknown): LedgerTrouble | null {
  const sqlState = sqlStateOf(error);
  const code = codeOf(error) ?? "";
  const message = error instanceof Error ? error.message : "";
  const known =
    (sqlState === null ? CODES[code] : (STATES[sqlState] ?? STATES[sqlState.slice(0, 2)])) ??
    MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
  return known ? { words: known[0], fix: known[1], sqlState } : null;
}

const unknownTrouble = (sqlState: string | null): LedgerTrouble => ({
  words: sqlState === null ? "calls to the ledger fail" : "the database rejects calls of the ledger",
  fix: "Run `tollgate doctor`, and read the error in the log.",
  sqlState,
});
