/** What a metric is. The reference page is written from this table and the registry is filled from it. */
export type MetricRow = {
  name: string;
  help: string;
  labels: readonly string[];
  /** Upper bounds in seconds; histograms have them. */
  buckets?: readonly number[];
};

/** A gauge also says what its value is over several workers. Counters and histograms are always summed. */
export type GaugeRow = MetricRow & { overWorkers: "sum" | "min" | "max" | "average" };

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** Of a model: fewer, as each model has them. */
const MODEL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const LEDGER_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const OVERHEAD_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/**
 * Labels never carry a secret or anything that a caller chooses, such as the model it asks for: each value would be a series kept for
 * ever. The prefix of a key is a name in public, and models have the names of the catalogue; how many have series is a setting.
 */
export const COUNTERS = {
  requests: {
    name: "tollgate_requests_total",
    help: "Requests, by route, client format, status and error code (empty if there was no error).",
    labels: ["route", "format", "status", "code"],
  },
  upstreamCalls: {
    name: "tollgate_upstream_calls_total",
    help: "Calls to providers, by outcome: `answered`, or the reason of the failure.",
    labels: ["provider", "outcome"],
  },
  routeNews: {
    name: "tollgate_route_news_total",
    help: "Messages between gateway processes about paused routes, by result: `sent`; `failed`, the database did not take it; `heard` from another process; `unreadable`. Without them, each process judges routes by its own calls.",
    labels: ["result"],
  },
  droppedMembers: {
    name: "tollgate_dropped_members_total",
    help: "Request fields that were not sent to the provider, by client format and provider. The log names each dropped field.",
    labels: ["format", "provider"],
  },
  tokens: {
    name: "tollgate_tokens_total",
    help: "Tokens charged for, by direction: input or output.",
    labels: ["direction"],
  },
  chargedCredits: {
    name: "tollgate_charged_credits_total",
    help: "Credits charged, by key. For graphs: billing reads the ledger.",
    labels: ["key"],
  },
  accountCredits: {
    name: "tollgate_account_charged_credits_total",
    help: "Credits charged to keys of an account, by the id of the account that the key belongs to. Accounts above it have the sum of those below. For graphs: billing reads the ledger.",
    labels: ["account"],
  },
  chargedTokens: {
    name: "tollgate_charged_tokens_total",
    help: "Tokens charged to keys with a token budget, by key. For graphs: billing reads the ledger.",
    labels: ["key"],
  },
  keyRequests: {
    name: "tollgate_key_requests_total",
    help: "Requests with a known key, by key and result: ok, rejected (4xx) or failed (5xx, or a stream that ended with an error).",
    labels: ["key", "result"],
  },
  keyTokens: {
    name: "tollgate_key_tokens_total",
    help: "Tokens charged for, by key and direction: input or output.",
    labels: ["key", "direction"],
  },
  modelTokens: {
    name: "tollgate_model_tokens_total",
    help: "Tokens charged for, by model, provider and direction: input or output.",
    labels: ["model", "provider", "direction"],
  },
  modelErrors: {
    name: "tollgate_model_errors_total",
    help: "Requests that ended with an error, also within a stream, by model, provider (`none` if none was asked) and error code.",
    labels: ["model", "provider", "code"],
  },
  outcomes: {
    name: "tollgate_outcomes_total",
    help: "Generations, by outcome: completed, client_gone, upstream_failed, timed_out or limited.",
    labels: ["outcome"],
  },
  duties: {
    name: "tollgate_duties_total",
    help: "Runs of the background tasks lease, sweep, checkpoint, rollup, partition, rechain, notices, records, verify and prices, by result: done or failed.",
    labels: ["duty", "result"],
  },
  notices: {
    name: "tollgate_notices_total",
    help: "Attempts to send a notice of a threshold, by endpoint (`log`, or the name of a webhook) and result: delivered, failed (sent again later) or dead (given up).",
    labels: ["endpoint", "result"],
  },
  holdsSwept: {
    name: "tollgate_holds_swept_total",
    help: "Requests of dead processes, or past their deadline, that this process ended at their last checkpoint.",
    labels: [],
  },
  checkpoints: {
    name: "tollgate_checkpoints_total",
    help: "Checkpoints written for running streams.",
    labels: [],
  },
  moneyAlarms: {
    name: "tollgate_money_alarms_total",
    help: "Charges that an operator must look at, by kind: usage_estimated, overrun, unpriced_usage, served_otherwise, billed_more, key_suspended, release_lost, hold_quarantined or period_ahead.",
    labels: ["kind"],
  },
  acceptedAlarms: {
    name: "tollgate_money_alarms_accepted_total",
    help: "Charges that would have raised a money alarm, had an operator not accepted its kind for the model, by kind: usage_estimated, overrun, unpriced_usage, served_otherwise or billed_more. No alert looks at it.",
    labels: ["kind"],
  },
  refusedServers: {
    name: "tollgate_database_servers_refused_total",
    help: "Times a database server that accepts writes was refused because it is not the ledger's current server. Above 0: stop that server.",
    labels: [],
  },
  bugs: {
    name: "tollgate_bugs_total",
    help: "Defects found while running. Above 0: report the log line `bug`.",
    labels: [],
  },
  refusedConnections: {
    name: "tollgate_refused_connections_total",
    help: "Connections closed on arrival because too few of the files that the process may open are left, by listener: public or admin. Above 0: raise the limit of open files.",
    labels: ["listener"],
  },
  filesExhausted: {
    name: "tollgate_open_files_exhausted_total",
    help: "Times that the process could open no file at all, tried once a second. New connections to it, to providers and to the database fail then.",
    labels: [],
  },
  droppedLines: {
    name: "tollgate_log_lines_dropped_total",
    help: "Log lines dropped because the reader of the output was too slow or gone.",
    labels: [],
  },
  records: {
    name: "tollgate_request_records_total",
    help: "Records of requests, by result: written, or dropped because too many were waiting for the database.",
    labels: ["result"],
  },
  spans: {
    name: "tollgate_trace_spans_total",
    help: "Spans of traces, by result: sent to the collector, failed because it did not accept them, or dropped because too many were waiting.",
    labels: ["result"],
  },
} as const satisfies Record<string, MetricRow>;

export const HISTOGRAMS = {
  requestSeconds: {
    name: "tollgate_request_seconds",
    help: "Time from the arrival of a request to the end of its response.",
    labels: ["route"],
    buckets: REQUEST_SECONDS,
  },
  firstByteSeconds: {
    name: "tollgate_first_byte_seconds",
    help: "Time from the arrival of a request to the first byte of the provider's response.",
    labels: ["route"],
    buckets: REQUEST_SECONDS,
  },
  overheadSeconds: {
    name: "tollgate_overhead_seconds",
    help: "Time a request spent in the gateway, without waiting for providers.",
    labels: ["route"],
    buckets: OVERHEAD_SECONDS,
  },
  modelRequestSeconds: {
    name: "tollgate_model_request_seconds",
    help: "Time from the arrival of a request to the end of its response, by model and the provider that was asked last (`none` if none was).",
    labels: ["model", "provider"],
    buckets: MODEL_SECONDS,
  },
  modelFirstByteSeconds: {
    name: "tollgate_model_first_byte_seconds",
    help: "Time from the arrival of a request to the first byte of the response that its client was sent, by model and provider. Of a stream, that is about the time to the first token.",
    labels: ["model", "provider"],
    buckets: MODEL_SECONDS,
  },
  ledgerTurnSeconds: {
    name: "tollgate_ledger_turn_seconds",
    help: "Time from sending a batch of calls to the ledger until it answered or failed, by lane: `turn` reserves and settles, `stored` also stores responses, `stored_large` stores large ones.",
    labels: ["lane"],
    buckets: LEDGER_SECONDS,
  },
  ledgerQueueSeconds: {
    name: "tollgate_ledger_queue_seconds",
    help: "Time that a call to the ledger waited before it was sent, by lane. If it rises and `tollgate_ledger_turn_seconds` does not, the process is busy.",
    labels: ["lane"],
    buckets: LEDGER_SECONDS,
  },
  connectionSeconds: {
    name: "tollgate_database_connection_seconds",
    help: "Time that a caller waited for a database connection of the pool, also in vain, by pool: `requests`, or `operator` for the admin API.",
    labels: ["pool"],
    buckets: LEDGER_SECONDS,
  },
} as const satisfies Record<string, MetricRow>;

/** Of each route that was used, read at each scrape; the first hundred routes only. A route has one model, which its operator named. */
export const ROUTE_GAUGES = {
  breaker: {
    name: "tollgate_route_breaker",
    help: "Circuit breaker of a route. 0: closed, the route is used; 1: half-open, one request tries it; 2: open, the route is skipped.",
    labels: ["provider", "upstream_model", "route"],
    overWorkers: "max",
  },
  successRate: {
    name: "tollgate_route_success_ratio",
    help: "Success rate of recent calls to a route, from 0 to 1.",
    labels: ["provider", "upstream_model", "route"],
    overWorkers: "min",
  },
  firstByteSeconds: {
    name: "tollgate_route_first_byte_seconds",
    help: "Average time to the first byte of recent responses of a route.",
    labels: ["provider", "upstream_model", "route"],
    overWorkers: "average",
  },
  slow: {
    name: "tollgate_route_slow",
    help: "1 if the streams of a route begin five times later than they usually do, 0 if not.",
    labels: ["provider", "upstream_model", "route"],
    overWorkers: "max",
  },
  tokensPerSecond: {
    name: "tollgate_route_tokens_per_second",
    help: "Average output tokens per second of recent responses of a route.",
    labels: ["provider", "upstream_model", "route"],
    overWorkers: "average",
  },
  callsInProgress: {
    name: "tollgate_route_calls_in_progress",
    help: "Calls to a route in progress.",
    labels: ["provider", "upstream_model", "route"],
    overWorkers: "sum",
  },
} as const satisfies Record<string, GaugeRow>;

export const GAUGES = {
  openRequests: { name: "tollgate_open_requests", help: "Requests in progress.", labels: [], overWorkers: "sum" },
  openStreams: { name: "tollgate_open_streams", help: "Streams in progress.", labels: [], overWorkers: "sum" },
  openSockets: {
    name: "tollgate_open_websockets",
    help: "WebSockets that are open, idle ones included.",
    labels: [],
    overWorkers: "sum",
  },
  draining: {
    name: "tollgate_draining",
    help: "Processes that are shutting down and wait for running requests.",
    labels: [],
    overWorkers: "sum",
  },
  ledgerUp: {
    name: "tollgate_ledger_up",
    help: "1 if the ledger confirms charges, 0 if not, whatever the cause. At 0, requests get 503.",
    labels: [],
    overWorkers: "min",
  },
  changesHeard: {
    name: "tollgate_changes_heard",
    help: "1 if notifications of changed keys and models arrive, 0 if not. At 0, both are read every few seconds.",
    labels: [],
    overWorkers: "min",
  },
  leaseHeld: {
    name: "tollgate_lease_held",
    help: "1 if this process holds its lease, 0 if it could not renew it for 60 s. At 0, its requests were cut and others end them.",
    labels: [],
    overWorkers: "min",
  },
  holdsQuarantined: {
    name: "tollgate_holds_quarantined",
    help: "Requests in quarantine: they cannot be ended, and their money stays reserved until an operator releases it. Alert above 0.",
    labels: [],
    overWorkers: "max",
  },
  sweepLag: {
    name: "tollgate_sweep_lag_seconds",
    help: "How long the oldest request of a dead process, or past its deadline, has waited to be ended; 0 if none waits. Requests in quarantine are not counted.",
    labels: [],
    overWorkers: "max",
  },
  ledgerVerified: {
    name: "tollgate_ledger_verified_timestamp",
    help: "The moment up to which the ledger is verified, in seconds since 1970: the charges of every day were looked at, today's anew, and all balances compared with the journal. 0: not yet, or verification is off.",
    labels: [],
    overWorkers: "max",
  },
  ledgerVerifying: {
    name: "tollgate_ledger_verifying",
    help: "1 if this process verifies the ledger or waits to take over, 0 if `verification.enabled` is off.",
    labels: [],
    overWorkers: "max",
  },
  priceListModels: {
    name: "tollgate_price_list_models",
    help: "Models for which the price list in `price_check.list` has other prices or limits than the catalogue. 0 also while the check is off.",
    labels: [],
    overWorkers: "max",
  },
  priceListChecked: {
    name: "tollgate_price_list_checked_timestamp",
    help: "When prices were last compared with that list, in seconds since 1970. 0: not yet, or the check is off.",
    labels: [],
    overWorkers: "max",
  },
  priceListFailing: {
    name: "tollgate_price_list_failing_timestamp",
    help: "Since when that comparison fails, in seconds since 1970. 0: it does not.",
    labels: [],
    overWorkers: "max",
  },
  ledgerMismatches: {
    name: "tollgate_ledger_mismatches",
    help: "Figures that differ from the journal, and verified days whose charges are not what they were. Alert above 0; the log line `ledger mismatch` names each.",
    labels: [],
    overWorkers: "max",
  },
  noticesWaiting: {
    name: "tollgate_notices_waiting",
    help: "Notices of thresholds that wait to be sent to a webhook, those that are sent again included.",
    labels: [],
    overWorkers: "max",
  },
  noticesDead: {
    name: "tollgate_notices_dead",
    help: "Notices of thresholds that a webhook did not accept within a day. Alert above 0; `tollgate notices list --dead` lists them.",
    labels: [],
    overWorkers: "max",
  },
  catalogueModels: {
    name: "tollgate_catalogue_models",
    help: "Models published in the loaded catalogue.",
    labels: [],
    overWorkers: "min",
  },
} as const satisfies Record<string, GaugeRow>;

/** Says what runs, once a process has started to serve. */
export const BUILD_GAUGES = {
  buildInfo: {
    name: "tollgate_build_info",
    help: "Always 1. Its labels say what runs: the version, the commit it was built from (empty if not known), and the last migration and the edition of the database functions that it brings.",
    labels: ["version", "commit", "migration", "edition"],
    overWorkers: "max",
  },
} as const satisfies Record<string, GaugeRow>;

/** Of `/metrics/all` alone. */
export const WORKER_GAUGES = {
  workers: {
    name: "tollgate_workers",
    help: "Worker processes that are configured; 1 without `--workers`.",
    labels: [],
  },
  workersAnswered: {
    name: "tollgate_workers_answered",
    help: "Workers whose metrics are up to date in this scrape. If it is below `tollgate_workers`, counters of the others are from an earlier scrape and their gauges are missing.",
    labels: [],
  },
} as const satisfies Record<string, MetricRow>;
