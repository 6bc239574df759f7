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
const OVERHEAD_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Labels never carry a key, a model or anything else a caller chooses: each value would be a series kept for ever. */
export const COUNTERS = {
  requests: {
    name: "tollgate_requests_total",
    help: "Requests answered, by route, format, status and refusal code (empty when there was none).",
    labels: ["route", "format", "status", "code"],
  },
  upstreamCalls: {
    name: "tollgate_upstream_calls_total",
    help: "Calls to providers: answered, or the reason they failed.",
    labels: ["provider", "outcome"],
  },
  droppedMembers: {
    name: "tollgate_dropped_members_total",
    help: "Members of requests that a provider was not told, by format and provider; the log names them.",
    labels: ["format", "provider"],
  },
  tokens: {
    name: "tollgate_tokens_total",
    help: "Tokens metered, by direction: input or output.",
    labels: ["direction"],
  },
  outcomes: {
    name: "tollgate_outcomes_total",
    help: "Generations by how they ended: completed, client_gone, upstream_failed, timed_out or limited.",
    labels: ["outcome"],
  },
  duties: {
    name: "tollgate_duties_total",
    help: "What this process does for the ledger beside serving, by duty and whether it was done or failed.",
    labels: ["duty", "result"],
  },
  holdsSwept: {
    name: "tollgate_holds_swept_total",
    help: "Requests of dead processes, or past their deadline, that this process ended at their last checkpoint.",
    labels: [],
  },
  checkpoints: {
    name: "tollgate_checkpoints_total",
    help: "Checkpoints of running streams that were written.",
    labels: [],
  },
  moneyAlarms: {
    name: "tollgate_money_alarms_total",
    help: "What an operator must look at: usage_estimated, overrun, unpriced_usage, key_suspended, release_lost or hold_quarantined.",
    labels: ["kind"],
  },
  refusedServers: {
    name: "tollgate_database_servers_refused_total",
    help: "Times a database server that takes writes was refused because it does not have the books. Above zero: stop that server.",
    labels: [],
  },
  bugs: {
    name: "tollgate_bugs_total",
    help: "States believed impossible that happened. Above zero means a defect to report.",
    labels: [],
  },
  droppedLines: {
    name: "tollgate_log_lines_dropped_total",
    help: "Log lines thrown away because nobody read the output.",
    labels: [],
  },
} as const satisfies Record<string, MetricRow>;

export const HISTOGRAMS = {
  requestSeconds: {
    name: "tollgate_request_seconds",
    help: "Time from the arrival of a request to the end of its answer.",
    labels: ["route"],
    buckets: REQUEST_SECONDS,
  },
  firstByteSeconds: {
    name: "tollgate_first_byte_seconds",
    help: "Time from the arrival of a request to the first byte of a provider's answer.",
    labels: ["route"],
    buckets: REQUEST_SECONDS,
  },
  overheadSeconds: {
    name: "tollgate_overhead_seconds",
    help: "Time of a request that was not spent waiting for a provider.",
    labels: ["route"],
    buckets: OVERHEAD_SECONDS,
  },
} as const satisfies Record<string, MetricRow>;

/** Of each route that was used, read when somebody asks. The first hundred routes are told apart. */
export const ROUTE_GAUGES = {
  breaker: {
    name: "tollgate_route_breaker",
    help: "0 while a route is used, 1 while a request tries whether it is back, 2 while it is left alone.",
    labels: ["provider", "route"],
    overWorkers: "max",
  },
  successRate: {
    name: "tollgate_route_success_ratio",
    help: "Share of late calls to a route that succeeded.",
    labels: ["provider", "route"],
    overWorkers: "min",
  },
  firstByteSeconds: {
    name: "tollgate_route_first_byte_seconds",
    help: "Time to the first byte of a route's answers, averaged over late calls.",
    labels: ["provider", "route"],
    overWorkers: "average",
  },
  tokensPerSecond: {
    name: "tollgate_route_tokens_per_second",
    help: "Output tokens per second of a route's answers, averaged over late calls.",
    labels: ["provider", "route"],
    overWorkers: "average",
  },
  callsInProgress: {
    name: "tollgate_route_calls_in_progress",
    help: "Calls to a route that are in progress in this process.",
    labels: ["provider", "route"],
    overWorkers: "sum",
  },
} as const satisfies Record<string, GaugeRow>;

export const GAUGES = {
  openRequests: { name: "tollgate_open_requests", help: "Requests in progress.", labels: [], overWorkers: "sum" },
  openStreams: { name: "tollgate_open_streams", help: "Streams in progress.", labels: [], overWorkers: "sum" },
  databaseUp: {
    name: "tollgate_database_up",
    help: "1 while the database answers, 0 while it does not.",
    labels: [],
    overWorkers: "min",
  },
  changesHeard: {
    name: "tollgate_changes_heard",
    help: "1 while notifications of changed keys and models arrive, 0 while they do not and both are read every few seconds.",
    labels: [],
    overWorkers: "min",
  },
  leaseHeld: {
    name: "tollgate_lease_held",
    help: "1 while this process can prove to the ledger that it lives, 0 when it could not for a minute.",
    labels: [],
    overWorkers: "min",
  },
  holdsQuarantined: {
    name: "tollgate_holds_quarantined",
    help: "Holds in the ledger that could not be ended and wait for an operator. Alert above 0.",
    labels: [],
    overWorkers: "max",
  },
  catalogueModels: {
    name: "tollgate_catalogue_models",
    help: "Models published in the catalogue in use.",
    labels: [],
    overWorkers: "min",
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
