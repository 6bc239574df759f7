import { Counter, Registry } from "@prometheus-io/client";
import type { CallFormat } from "../../core/request/dialect.ts";
import type { FaultCode } from "../../core/fault.ts";
import type { Duty } from "../../core/duty.ts";
import { ACCEPTABLE_ALARMS, type AcceptableAlarm, type MoneyAlarmKind } from "../../core/money/money-alarm.ts";
import type { AnswerOutcome } from "../../core/money/usage.ts";
import type { TlsCertificate } from "../../core/tls-certificate.ts";
import type { DiskFacts } from "../../core/disk-facts.ts";
import type { ServerFacts } from "../../core/server-facts.ts";
import { type BoundedLabel, createBoundedLabel } from "./bounded-label.ts";
import { createKeySeries, type KeyCharge } from "./key-series.ts";
import { createCertificateGauges } from "./certificate-gauges.ts";
import { createDatabaseGauges } from "./database-gauges.ts";
import { COUNTERS, GAUGES, HISTOGRAMS, type MetricRow } from "./metric-table.ts";
import { createModelSeries } from "./model-series.ts";
import { ROUTE_NAMES, type RouteName } from "../route-name.ts";
import { type RouteReading, watchRoutes } from "./route-gauges.ts";
import { createTalliedHistogram, type HistogramRow, type Observe } from "./tallied-histogram.ts";
import { countable, createLevel, createTally } from "./tally.ts";

export type FinishedRequest = {
  route: RouteName;
  dialect: CallFormat | null;
  status: number;
  code: FaultCode | null;
  outcome: AnswerOutcome | null;
  totalMs: number;
  overheadMs: number;
  inputTokens: number;
  outputTokens: number;
  /** Null: no key was recognised. */
  key: KeyCharge | null;
  /** Null: none was found. */
  model: string | null;
  /** Null: none was asked. */
  provider: string | null;
  /** Null: no provider's response began. */
  firstByteMs: number | null;
};

/** What is counted. Numbers that make no sense are left out: counting must never fail a request. */
export type Metrics = {
  requestOpened: () => void;
  streamOpened: () => void;
  streamClosed: () => void;
  socketOpened: () => void;
  socketClosed: () => void;
  firstByte: (route: RouteName, elapsedMs: number) => void;
  requestFinished: (request: FinishedRequest) => void;
  upstreamCalled: (provider: string, outcome: string) => void;
  /** A message to the other processes about routes, or from them. */
  routeNews: (result: "sent" | "failed" | "heard" | "unreadable") => void;
  membersDropped: (dialect: CallFormat, provider: string, members: number) => void;
  dutyEnded: (duty: Duty, result: "done" | "failed") => void;
  noticeSent: (endpoint: string, result: "delivered" | "failed" | "dead") => void;
  noticesLeft: (left: { waiting: number; dead: number }) => void;
  holdsSwept: (holds: number) => void;
  holdsQuarantined: (holds: number) => void;
  sweepLag: (seconds: number) => void;
  /** In seconds since 1970; 0: not yet. */
  ledgerVerified: (timestamp: number, mismatches: number) => void;
  /** Moments in seconds since 1970; 0: none. */
  priceListChecked: (check: { models: number; checkedAt: number; failingSince: number }) => void;
  checkpointsWritten: (checkpoints: number) => void;
  moneyAlarmed: (kind: MoneyAlarmKind) => void;
  acceptedAlarm: (kind: AcceptableAlarm) => void;
  bugFound: () => void;
  lineDropped: () => void;
  connectionRefused: (listener: "public" | "admin") => void;
  filesExhausted: () => void;
  draining: () => void;
  recordsEnded: (result: "written" | "dropped", records: number) => void;
  spansEnded: (result: "sent" | "failed" | "dropped", spans: number) => void;
  ledgerUp: (up: 0 | 1) => void;
  /** How the calls of a lane to the ledger go. */
  ledgerLane: (lane: LedgerLaneName) => { waited: Observe; took: Observe };
  /** How long a caller waited for a connection. */
  connectionWaited: Record<"requests" | "operator", Observe>;
  serverRefused: () => void;
  /** What the database server says of itself; null: it has not said anything lately. */
  databaseFacts: (facts: ServerFacts | null) => void;
  /** Of its disk; `diskBytes`: how large it is, by the settings, or 0. */
  databaseDisk: (facts: DiskFacts | null, diskBytes: number) => void;
  /** Where to read which certificates are in use, whenever somebody asks. */
  watchCertificates: (read: () => readonly TlsCertificate[]) => void;
  changesHeard: (heard: 0 | 1) => void;
  leaseHeld: (held: 0 | 1) => void;
  catalogueLoaded: (models: number) => void;
  /** Where to read what is known of routes, whenever somebody asks. Called once. */
  watchRoutes: (read: () => readonly RouteReading[]) => void;
  /** For the standard process metrics, which register themselves. */
  registry: Registry;
  /** All of it as data that another process can add to its own. */
  snapshot: () => Promise<MetricSnapshot>;
  expose: () => Promise<Exposition>;
};

const LEDGER_LANES = ["turn", "stored", "stored_large"] as const;
type LedgerLaneName = (typeof LEDGER_LANES)[number];

/** What a scraper reads, and its content type. */
export type Exposition = { contentType: string; text: string };

export type MetricSnapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

const OUTCOMES: readonly AnswerOutcome[] = Object.keys({
  completed: true,
  client_gone: true,
  upstream_failed: true,
  timed_out: true,
  limited: true,
} satisfies Record<AnswerOutcome, true>) as AnswerOutcome[];

const DUTIES: readonly Duty[] = Object.keys({
  lease: true,
  sweep: true,
  checkpoint: true,
  rollup: true,
  partition: true,
  rechain: true,
  notices: true,
  records: true,
  verify: true,
  prices: true,
} satisfies Record<Duty, true>) as Duty[];

const ALARMS: readonly MoneyAlarmKind[] = Object.keys({
  usage_estimated: true,
  overrun: true,
  unpriced_usage: true,
  served_otherwise: true,
  billed_more: true,
  key_suspended: true,
  release_lost: true,
  hold_quarantined: true,
  period_ahead: true,
} satisfies Record<MoneyAlarmKind, true>) as MoneyAlarmKind[];

const MOST_PROVIDERS = 100;
const MOST_REASONS = 30;

export function createMetrics({ keySeries = 100, modelSeries = 100 } = {}): Metrics {
  const registry = new Registry();
  const upstreamCalls = createCounter(COUNTERS.upstreamCalls, registry);
  const droppedMembers = createCounter(COUNTERS.droppedMembers, registry);
  const countAlarm = createTally(COUNTERS.moneyAlarms, ALARMS, registry);
  const countAccepted = createTally(COUNTERS.acceptedAlarms, ACCEPTABLE_ALARMS, registry);
  const bugs = createCounter(COUNTERS.bugs, registry);
  const droppedLines = createCounter(COUNTERS.droppedLines, registry);
  const countRefused = createTally(COUNTERS.refusedConnections, ["public", "admin"], registry);
  const countNews = createTally(COUNTERS.routeNews, ["sent", "failed", "heard", "unreadable"], registry);
  const filesExhausted = createCounter(COUNTERS.filesExhausted, registry);
  const countSpans = createTally(COUNTERS.spans, ["sent", "failed", "dropped"], registry);
  const refusedServers = createCounter(COUNTERS.refusedServers, registry);
  const draining = createLevel(GAUGES.draining, registry);
  const ledgerUp = createLevel(GAUGES.ledgerUp, registry);
  const changesHeard = createLevel(GAUGES.changesHeard, registry);
  const catalogueModels = createLevel(GAUGES.catalogueModels, registry);
  const providerLabel = createBoundedLabel(MOST_PROVIDERS);
  const reasonLabel = createBoundedLabel(MOST_REASONS);

  return {
    ...createRequestMetrics({ keySeries, modelSeries, providerLabel }, registry),
    ...createDutyMetrics(registry),
    ...createLedgerMetrics(registry),
    upstreamCalled: (provider, outcome) =>
      upstreamCalls.inc({ provider: providerLabel(provider), outcome: reasonLabel(outcome) }),
    routeNews: (result) => countNews(result, 1),
    membersDropped: (dialect, provider, members) =>
      droppedMembers.inc({ format: dialect, provider: providerLabel(provider) }, members),
    moneyAlarmed: (kind) => countAlarm(kind, 1),
    acceptedAlarm: (kind) => countAccepted(kind, 1),
    bugFound: () => bugs.inc(),
    lineDropped: () => droppedLines.inc(),
    connectionRefused: (listener) => countRefused(listener, 1),
    filesExhausted: () => filesExhausted.inc(),
    draining: () => void (draining.current = 1),
    spansEnded: (result, spans) => countSpans(result, spans),
    ledgerUp: (up) => void (ledgerUp.current = up),
    serverRefused: () => refusedServers.inc(),
    ...createDatabaseGauges(registry),
    ...createCertificateGauges(registry),
    changesHeard: (heard) => void (changesHeard.current = heard),
    catalogueLoaded: (models) => void (catalogueModels.current = models),
    watchRoutes: (read) => watchRoutes(read, registry),
    registry,
    snapshot: () => registry.getMetricsAsJSON(),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

type Bounds = { keySeries: number; modelSeries: number; providerLabel: BoundedLabel };

/** Once for each request, so nothing here is more than adding a number. */
function createRequestMetrics({ keySeries, modelSeries, providerLabel }: Bounds, registry: Registry) {
  const countRequest = createRequestCounts(registry);
  const countTokens = createTally(COUNTERS.tokens, ["input", "output"], registry);
  const countOutcome = createTally(COUNTERS.outcomes, OUTCOMES, registry);
  const requestSeconds = createObservers(HISTOGRAMS.requestSeconds, ROUTE_NAMES, registry);
  const firstByteSeconds = createObservers(HISTOGRAMS.firstByteSeconds, ROUTE_NAMES, registry);
  const overheadSeconds = createObservers(HISTOGRAMS.overheadSeconds, ROUTE_NAMES, registry);
  const countForKey = createKeySeries(keySeries, registry);
  const countForModel = createModelSeries({ limit: modelSeries, providerLabel }, registry);
  const openRequests = createLevel(GAUGES.openRequests, registry);
  const openStreams = createLevel(GAUGES.openStreams, registry);
  const openSockets = createLevel(GAUGES.openSockets, registry);

  return {
    requestOpened: () => void openRequests.current++,
    streamOpened: () => void openStreams.current++,
    streamClosed: () => void openStreams.current--,
    socketOpened: () => void openSockets.current++,
    socketClosed: () => void openSockets.current--,
    firstByte: (route, elapsedMs) => firstByteSeconds[route](elapsedMs),
    requestFinished: (request) => {
      const { route, dialect, status, code, outcome, totalMs, overheadMs, inputTokens, outputTokens } = request;
      openRequests.current--;
      countRequest(route, dialect ?? "none", status, code ?? "");
      requestSeconds[route](totalMs);
      overheadSeconds[route](overheadMs);
      if (outcome) countOutcome(outcome, 1);
      if (countable(inputTokens)) countTokens("input", inputTokens);
      if (countable(outputTokens)) countTokens("output", outputTokens);
      countForKey(request);
      countForModel(request);
    },
  } satisfies Partial<Metrics>;
}

/** Once for each batch and each call of it, so nothing here is more than adding a number. */
function createLedgerMetrics(registry: Registry) {
  const took = createObservers(HISTOGRAMS.ledgerTurnSeconds, LEDGER_LANES, registry);
  const waited = createObservers(HISTOGRAMS.ledgerQueueSeconds, LEDGER_LANES, registry);
  return {
    ledgerLane: (lane) => ({ waited: waited[lane], took: took[lane] }),
    connectionWaited: createObservers(HISTOGRAMS.connectionSeconds, ["requests", "operator"], registry),
  } satisfies Partial<Metrics>;
}

/** Of background tasks. */
function createDutyMetrics(registry: Registry) {
  const duties = createCounter(COUNTERS.duties, registry);
  // At zero from the start, since the first increase of a series that was not there is none to Prometheus.
  for (const duty of DUTIES) for (const result of ["done", "failed"]) duties.inc({ duty, result }, 0);
  const notices = createCounter(COUNTERS.notices, registry);
  const holdsSwept = createCounter(COUNTERS.holdsSwept, registry);
  const checkpoints = createCounter(COUNTERS.checkpoints, registry);
  const countRecords = createTally(COUNTERS.records, ["written", "dropped"], registry);
  const leaseHeld = createLevel(GAUGES.leaseHeld, registry);
  const quarantined = createLevel(GAUGES.holdsQuarantined, registry);
  const noticesWaiting = createLevel(GAUGES.noticesWaiting, registry);
  const noticesDead = createLevel(GAUGES.noticesDead, registry);
  const sweepLag = createLevel(GAUGES.sweepLag, registry);
  const verifying = createLevel(GAUGES.ledgerVerifying, registry);
  const verified = createLevel(GAUGES.ledgerVerified, registry);
  const mismatches = createLevel(GAUGES.ledgerMismatches, registry);
  const listed = createLevel(GAUGES.priceListModels, registry);
  const listChecked = createLevel(GAUGES.priceListChecked, registry);
  const listFailing = createLevel(GAUGES.priceListFailing, registry);

  return {
    dutyEnded: (duty, result) => duties.inc({ duty, result }),
    noticeSent: (endpoint, result) => notices.inc({ endpoint, result }),
    noticesLeft: ({ waiting, dead }) => {
      noticesWaiting.current = waiting;
      noticesDead.current = dead;
    },
    holdsSwept: (holds) => holdsSwept.inc(holds),
    holdsQuarantined: (holds) => void (quarantined.current = holds),
    sweepLag: (seconds) => void (sweepLag.current = seconds),
    ledgerVerified: (timestamp, found) => {
      verifying.current = 1;
      verified.current = timestamp;
      mismatches.current = found;
    },
    priceListChecked: ({ models, checkedAt, failingSince }) => {
      listed.current = models;
      listChecked.current = checkedAt;
      listFailing.current = failingSince;
    },
    checkpointsWritten: (count) => checkpoints.inc(count),
    recordsEnded: (result, records) => countRecords(result, records),
    leaseHeld: (held) => void (leaseHeld.current = held),
  } satisfies Partial<Metrics>;
}

const createCounter = <Label extends string>(row: MetricRow & { labels: readonly Label[] }, registry: Registry) =>
  new Counter<Label>({ name: row.name, help: row.help, labelNames: row.labels, registers: [registry] });

type RequestLabels = { route: string; format: string; status: string; code: string };

/**
 * Requests by route, format, status and code. Plain numbers are added, and the library is told when somebody asks. Most requests are like
 * the one before, whose place is kept at hand.
 */
function createRequestCounts(
  registry: Registry,
): (route: RouteName, format: string, status: number, code: string) => void {
  type Since = {
    route: RouteName;
    format: string;
    status: number;
    code: string;
    labels: RequestLabels;
    requests: number;
  };
  const counted = new Map<string, Since>();
  let last: Since | null = null;
  const { name, help, labels: labelNames } = COUNTERS.requests;
  const counter = new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    collect() {
      for (const since of counted.values()) {
        this.inc(since.labels, since.requests);
        since.requests = 0;
      }
    },
  });
  registry.registerMetric(counter);

  function find(route: RouteName, format: string, status: number, code: string): Since {
    const labels = { route, format, status: statusLabel(status), code };
    const place = `${route} ${format} ${labels.status} ${code}`;
    const known = counted.get(place);
    if (known !== undefined) return known;
    const since = { route, format, status, code, labels, requests: 0 };
    counted.set(place, since);
    return since;
  }

  return (route, format, status, code) => {
    if (last?.route !== route || last.status !== status || last.format !== format || last.code !== code)
      last = find(route, format, status, code);
    last.requests++;
  };
}

/** One function per value of the only label. */
function createObservers<Value extends string>(
  row: HistogramRow,
  values: readonly Value[],
  registry: Registry,
): Record<Value, Observe> {
  const [label = ""] = row.labels;
  const series = createTalliedHistogram(row, registry);
  return Object.fromEntries(values.map((value) => [value, series({ [label]: value })])) as Record<Value, Observe>;
}

const statusLabel = (status: number): string => (status >= 100 && status <= 599 ? `${status}` : "none");
