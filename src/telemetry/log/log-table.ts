import type { Level, LogRow } from "./log-row.ts";
import type { Logger } from "./logger.ts";
import { OPERATOR_LINES } from "./operator-lines.ts";
import { PROVIDER_LINES } from "./provider-lines.ts";
import { SIGN_IN_LINES } from "./sign-in-lines.ts";

const PROCESS_LINES = {
  spansLost: {
    message: "spans not sent",
    level: "warn",
    meaning:
      "The trace collector did not accept `spans` spans, for `reason`. Requests are not affected; their spans are lost. Written at most once a minute, with `unwritten` failures since.",
    fix: "Check that traces.endpoint is the base URL of a collector that accepts OTLP over HTTP, and traces.headers its credential.",
  },
  recordsDropped: {
    message: "request records dropped",
    level: "warn",
    meaning:
      "`records` records of requests were dropped, since more waited for the database than `records.queue` holds. Requests and charges are not affected; the requests are missing in lists and series. Written at most once a minute, with `unwritten` more since.",
    fix: "Check the database. If it responds, raise records.queue.",
  },
  listening: {
    message: "listening",
    level: "info",
    meaning: "A listener accepts connections: `public` or `admin`, at `url`.",
    fix: null,
  },
  drainStarted: {
    message: "drain started",
    level: "info",
    meaning:
      "The process received SIGTERM. It accepts no new requests and waits up to `deadline_ms` for `open_requests` to end.",
    fix: null,
  },
  drainFinished: {
    message: "drain finished",
    level: "info",
    orLevel: "warn",
    meaning: "The process exits. Level warn: `open_requests` were still running and were cut; they cost nothing.",
    fix: "Raise drain.deadline_ms if requests usually take longer.",
  },
  addressesHidden: {
    message: "client addresses unknown",
    level: "warn",
    meaning:
      "All clients appear to have the same address, so nothing is limited per address; `reason` and `peer` say why.",
    fix: "Configure the proxy and listen.trusted_proxies.",
  },
  catalogueLoaded: {
    message: "catalogue loaded",
    level: "info",
    meaning: "The number of published models has changed.",
    fix: null,
  },
  personChanged: {
    message: "person changed",
    level: "info",
    meaning: "A person was added, changed or removed, signed in, or got or lost a token. `change` says which.",
    fix: null,
  },
  initIgnored: {
    message: "first owner ignored",
    level: "info",
    meaning: "`init.email` and `init.password` are set, and the gateway has or had people. Nobody was created.",
    fix: "Remove both settings.",
  },
  adminRequestRejected: {
    message: "admin request rejected",
    level: "warn",
    meaning:
      "A request to the admin listener got 401 or 403. `credential` is what it had: none, a token, a personal token or a session. `reason` is `unknown` if it is not valid, or `forbidden` if the role of `actor` does not allow the operation. At most 10 lines a minute; `unwritten` counts the others.",
    fix: "If it is not a mistake of yours, find out who can reach the admin listener.",
  },
  adminRequestFailed: {
    message: "admin request failed",
    level: "warn",
    meaning: "An admin request got 503 because the database was not available.",
    fix: "Retry it when the database is available.",
  },
  filesExhausted: {
    message: "open files exhausted",
    level: "error",
    meaning:
      "Too few of the `limit` files that this process may open are left, so a connection to `listener` was closed on arrival. Without a listener: no file could be opened at all. Open connections are served. Written at most once a minute for each listener and without one, with `unwritten` more since.",
    fix: "Raise the limit of open files (systemd: LimitNOFILE=65536; containers: --ulimit nofile=65536), or lower limits.connections.",
  },
  bug: {
    message: "bug",
    level: "error",
    meaning: "A defect in Tollgate. The request got 500 and cost nothing.",
    fix: "Report this line, with its stack.",
  },
} as const satisfies Record<string, LogRow>;

const WORKER_LINES = {
  workerStarted: {
    message: "worker started",
    level: "info",
    meaning: "The parent of `--workers` started a process; `admin_port` is its admin port.",
    fix: null,
  },
  workerListening: {
    message: "worker listening",
    level: "info",
    meaning: "The worker accepts requests.",
    fix: null,
  },
  workerEnded: {
    message: "worker ended",
    level: "info",
    orLevel: "warn",
    meaning: "A worker exited with `code` or `signal`. Level warn: it is replaced after `restart_ms`.",
    fix: "If it repeats, read the worker's last lines: they have its pid.",
  },
  workerHung: {
    message: "worker hung",
    level: "error",
    meaning:
      "The event loop of a worker stood still for `silent_ms`. The parent kills it and starts another. Its clients are disconnected, and its requests are swept.",
    fix: "A worker that was stopped with SIGSTOP or in a debugger for so long is killed, too. Otherwise report this line with the last lines of that worker.",
  },
  parentGone: {
    message: "parent process gone",
    level: "error",
    meaning:
      "The parent of this worker ended without stopping it. The worker has closed its ports, finishes its requests within `drain.deadline_ms` and exits.",
    fix: "Start the gateway again, if your supervisor has not: the ports are free. Find out what killed the parent.",
  },
  workersGivenUp: {
    message: "gave up restarting workers",
    level: "error",
    meaning:
      "No worker serves, and one crashed `deaths` times in a row within 10 s of its start. The parent exits with 1.",
    fix: "Read the last lines of the workers for the reason, then start again.",
  },
  workersKilled: {
    message: "workers killed",
    level: "error",
    meaning: "Workers did not exit in time after a drain, or a second signal arrived. Their requests are swept.",
    fix: "Raise drain.deadline_ms if this was not a second signal.",
  },
} as const satisfies Record<string, LogRow>;

const LEDGER_LINES = {
  moneyAlarm: {
    message: "money alarm",
    level: "warn",
    meaning:
      "An operator must look at a charge; `kind` says why, `part` which usage has no price, and `counter` which purse or limit cannot be used.",
    fix: "See the kind below.",
  },
  acceptedAlarm: {
    message: "accepted money alarm",
    level: "info",
    meaning:
      "The same of a kind that an operator has accepted for the model; `accepted_by` says who. `tollgate models alarms MODEL` shows why, and until when.",
    fix: null,
  },
  taskFailed: {
    message: "background task failed",
    level: "warn",
    meaning:
      "A background task of the ledger failed: `lease`, `sweep`, `checkpoint`, `rollup`, `partition`, `notices`, `records`, `rechain`, `verify` or `prices` (field `duty`). It is retried; only the first failure in a row is logged.",
    fix: "Check the database. The line `background task works again` ends it.",
  },
  taskWorks: {
    message: "background task works again",
    level: "info",
    meaning: "The task succeeded after failing for `failing_ms`.",
    fix: null,
  },
  leaseLost: {
    message: "lease lost",
    level: "error",
    meaning:
      "This process could not renew its lease for 60 s. It cut its running requests, because other processes end them.",
    fix: "Check the connection to the database.",
  },
  holdsSwept: {
    message: "holds swept",
    level: "info",
    meaning: "This process ended requests of a process that died, each at its last checkpoint.",
    fix: null,
  },
  holdQuarantined: {
    message: "hold quarantined",
    level: "error",
    meaning: "A request of a dead process cannot be ended; its money stays reserved. `sqlstate` and `reason` say why.",
    fix: "Run `tollgate ledger quarantine list`; it says what to do.",
  },
  priceListDiffers: {
    message: "price list differs",
    level: "warn",
    meaning:
      "The list in `list` has other prices or limits than the catalogue, for so many `models`; `named` has the first, `providers` whose they are. Written once for each change of what differs. Nothing was changed.",
    fix: "Open Models in the console, or run `tollgate models import --diff` with the list, and apply what is right.",
  },
  priceCheckFailed: {
    message: "price check failed",
    level: "warn",
    meaning:
      "The prices in force could not be compared with `list`; `problem` says why. It is tried again after an hour; only the first failure in a row is logged.",
    fix: "Check `price_check.list` and `price_check.providers`, and that the gateway can reach the address.",
  },
  ledgerMismatch: {
    message: "ledger mismatch",
    level: "error",
    meaning:
      "Verification found a `figure` that is `found` and should be `expected`; `key_id`, `account_id` and `counter` say whose. `day` is the day of charges; without one, it is a balance. `charges of DAY`: rows of a verified day were changed, removed or added. Written once for each.",
    fix: "Run the command in `show`. Failure modes says what to do: the ledger does not balance.",
  },
  holdClosed: {
    message: "hold already closed",
    level: "warn",
    meaning: "A stream was still running after another process had ended its request. The stream was cut.",
    fix: "If it repeats, check whether this process is suspended or starved of processor time.",
  },
  thresholdReached: {
    message: "threshold reached",
    level: "warn",
    meaning:
      "A limit or a purse has passed one of its thresholds, or a request was too large for it; `text` says which, and whose it is. Written once for each, by one process.",
    fix: "Raise the limit or add funds if work must go on.",
  },
  noticeFailed: {
    message: "notice not delivered",
    level: "warn",
    orLevel: "error",
    meaning:
      "A webhook (`endpoint`) did not accept a notice, for `reason` or with `status`. It is sent again for a day; the first failure in a row is logged. Level error: it was given up.",
    fix: "Run `tollgate notices test`. Send dead letters again with `tollgate notices retry --all`.",
  },
  noticeDelivered: {
    message: "notices delivered again",
    level: "info",
    meaning: "A webhook (`endpoint`) accepts notices again.",
    fix: null,
  },
  dayPartitioned: {
    message: "partition created",
    level: "info",
    meaning: "The journal has a partition for `day`.",
    fix: null,
  },
  dayInDefault: {
    message: "day left in the default partition",
    level: "warn",
    meaning: "The journal of `day` has no partition of its own, so it cannot be dropped by day.",
    fix: "Run `tollgate ledger partitions --repair DAY`.",
  },
} as const satisfies Record<string, LogRow>;

const DATABASE_LINES = {
  ledgerDown: {
    message: "ledger down: requests get 503",
    level: "error",
    meaning:
      "The ledger does not confirm what requests ask of it. New requests get 503; running streams continue. `reason` says why, `sqlstate` is PostgreSQL's name for it, and `fix` what to do.",
    fix: "As `fix` says. No restart is needed.",
  },
  ledgerUp: {
    message: "ledger up: requests are served again",
    level: "info",
    meaning: "The ledger works again, after `down_ms`.",
    fix: null,
  },
  connectionBroken: {
    message: "database connection broken",
    level: "warn",
    meaning:
      "An idle connection, or the one that listens for notifications, broke or cannot be made; `error` says how. It is made again. Requests are served as long as the ledger is up.",
    fix: null,
  },
  readFailed: {
    message: "reading the database failed",
    level: "warn",
    meaning:
      "What this process knows of keys, models or requests in flight (`what`) was not read again, and may be old.",
    fix: "See `error`. If the ledger is down, bring it back first.",
  },
  serverRefused: {
    message: "database server refused",
    level: "error",
    meaning: "A database server accepts writes but is not the ledger's current server; `reason` says why.",
    fix: "Stop that server, or remove it from the address. If it is the right one: tollgate ledger adopt.",
  },
  ledgerMoved: {
    message: "ledger moved to a higher timeline",
    level: "warn",
    meaning: "A standby was promoted, or the server was restored to a point in time. Timelines are in `from` and `to`.",
    fix: "If you did not do this, find out who did. Make sure that the old server is stopped.",
  },
  statementsUnprepared: {
    message: "prepared statements do not work here: none are used",
    level: "warn",
    meaning:
      "A pooler in front of the database does not carry prepared statements; `reason` is the database's answer. No request failed. PostgreSQL spends more time per request.",
    fix: "Set database.prepared_statements to off, or use PgBouncer 1.21 or later with max_prepared_statements.",
  },
  standbyPresent: {
    message: "synchronous standby present: requests are accepted",
    level: "info",
    meaning: "`ledger.require_synchronous_standby` is met.",
    fix: null,
  },
  standbyAbsent: {
    message: "no synchronous standby: requests are rejected",
    level: "error",
    meaning: "`ledger.require_synchronous_standby` is on and no synchronous standby is connected.",
    fix: "Connect a synchronous standby, or set ledger.require_synchronous_standby to off.",
  },
  standbyUnknown: {
    message: "synchronous standby unknown: requests are rejected",
    level: "error",
    meaning: "`ledger.require_synchronous_standby` is on and the database did not say whether there is one.",
    fix: "See the other lines about the database.",
  },
  changesUnheard: {
    message: "notifications of changes do not arrive",
    level: "warn",
    meaning: "Keys and models are read every few seconds instead, so they can be `stale_ms` old.",
    fix: "Set database.direct_url to an address of the same database without a pooler in transaction mode, which never delivers LISTEN. If it is set, check that it can be reached.",
  },
  changesHeard: {
    message: "notifications of changes arrive again",
    level: "info",
    meaning: "Changes of keys and models take effect at once.",
    fix: null,
  },
} as const satisfies Record<string, LogRow>;

/** By the heading each group has on the reference page. */
export const LOG_GROUPS = {
  Processes: PROCESS_LINES,
  Workers: WORKER_LINES,
  Database: DATABASE_LINES,
  Ledger: LEDGER_LINES,
  Providers: PROVIDER_LINES,
  "Single sign-on": SIGN_IN_LINES,
  "Operators' changes": OPERATOR_LINES,
} as const satisfies Record<string, Record<string, LogRow>>;

const LOG_LINES = {
  ...PROCESS_LINES,
  ...WORKER_LINES,
  ...DATABASE_LINES,
  ...LEDGER_LINES,
  ...PROVIDER_LINES,
  ...SIGN_IN_LINES,
  ...OPERATOR_LINES,
};

export type SayLine = (name: keyof typeof LOG_LINES, fields?: object, level?: Level) => void;

/** Writes lines of the table, so that none is written which has no row. A field `fix` is more exact than the row's. */
export const sayTo =
  (logger: Pick<Logger, Level>): SayLine =>
  (name, fields = {}, level = LOG_LINES[name].level) => {
    const { message, fix } = LOG_LINES[name];
    logger[level](fix === null || level === "info" || "fix" in fields ? fields : { ...fields, fix }, message);
  };
