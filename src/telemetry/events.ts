import type { LedgerState } from "../core/ledger-state.ts";
import type { AcceptedAlarm, MoneyAlarm } from "../core/money/money-alarm.ts";
import type { RecordRequest } from "../core/request/request-facts.ts";
import { createFileEvents, type FileEvents } from "./file-events.ts";
import { describeError } from "./log/describe-error.ts";
import { createDutyEvents, type DutyEvents } from "./duty-events.ts";
import { createLineAllowance } from "./log/line-allowance.ts";
import { ALARM_FIXES } from "./log/alarm-fixes.ts";
import { sayTo } from "./log/log-table.ts";
import { createOperatorEvents, type OperatorEvents } from "./operator-events.ts";
import type { RequestOpened } from "./request-line.ts";
import { openRequestLog, type RequestLog, type RequestLogParts } from "./request-log.ts";
import { createSignInEvents, type SignInEvents } from "./sign-in-events.ts";
import { createServerEvents, type ServerEvents } from "./server-events.ts";

/**
 * What happens here that somebody may want to know, one function per event. Each feeds the log, the counters and the span,
 * so that no part of the program chooses words or levels. None takes a prompt, an answer or a secret.
 */
export type Events = DutyEvents &
  FileEvents &
  OperatorEvents &
  SignInEvents &
  ServerEvents & {
    requestOpened: (request: RequestOpened) => RequestLog;
    /** From now on requests that end are given to `record`; null: to nobody. */
    recordRequests: (record: RecordRequest | null) => void;
    upstreamFailed: (failure: UpstreamFailure) => void;
    /** A route is left alone after failing again and again, or is used once more. `reason` is a word of a fixed set. */
    /** `onHearsay`: it opened after fewer failures than usual, because another process had reported it. */
    routeChanged: (route: {
      routeId: string;
      provider: string;
      state: "open" | "closed";
      reason: string;
      onHearsay: boolean;
    }) => void;
    /** Its streams begin much later than usual; null: no longer. */
    routeSlowed: (slowed: {
      routeId: string;
      provider: string;
      slowness: { beginsMs: number; usualMs: number } | null;
    }) => void;
    /** A provider's credential cannot be had, for a reason in words without a secret; or it can be had after all. */
    credentialChanged: (change: { provider: string; problem: string | null }) => void;
    serverListening: (listener: { name: "public" | "admin"; url: string }) => void;
    /** Callers cannot be told apart by their address, so nothing is limited by it. */
    socketOpened: () => void;
    socketClosed: () => void;
    addressesHidden: (hidden: { peer: string; reason: "not_forwarded" | "not_trusted" | "loopback" }) => void;
    drainStarted: (drain: { openRequests: number; deadlineMs: number }) => void;
    drainFinished: (drain: { openRequests: number }) => void;
    /** The ledger went down, or works again. One line for each. */
    ledgerChanged: (state: LedgerState) => void;
    /** What is kept in memory could not be read again. May be called for every failure; few lines are written. */
    readFailed: (what: string, error: unknown) => void;
    /** One that nobody used, or the one that listens for notifications. May be called for every try; few lines are written. */
    connectionBroken: (error: Error) => void;
    /** May be called for every load; a line is written when the number is another than before. */
    catalogueLoaded: (catalogue: { models: number }) => void;
    /** The settings name a first owner, and there are people already. */
    initIgnored: () => void;
    /** Somebody was not let in by the admin listener. May be called for every one; few lines are written. */
    operatorRefused: (attempt: RefusedOperator) => void;
    /** Something about money that an operator must see. */
    /** `accepted`: that an operator wants no alert for it, and says why. */
    moneyAlarm: (alarm: MoneyAlarm, accepted?: AcceptedAlarm | null) => void;
    /** An operator was told to try again, since the database was away or overwhelmed. */
    adminRequestFailed: (error: unknown, requestId: string) => void;
    /** A state believed impossible. */
    bug: (error: unknown, requestId: string | null) => void;
  };

export type RefusedOperator = {
  requestId: string;
  address: string;
  /** What came with the request; nothing of its content. */
  credential: "none" | "token" | "personal token" | "session";
  /** `unknown`: nobody has it, or not any more. `forbidden`: its person may not do this. */
  reason: "unknown" | "forbidden";
  /** Null: not known. */
  actor: string | null;
};

export type UpstreamFailure = {
  requestId: string;
  provider: string;
  routeId: string;
  /** A short word from a fixed set, such as `connect_timeout`; it becomes a label. */
  reason: string;
  status: number | null;
};

const HIDDEN = {
  loopback: "Behind a proxy, set listen.trusted_proxies to its address and make it send X-Forwarded-For or Forwarded.",
  not_trusted: "This peer sent a forwarded address, which was ignored. Set listen.trusted_proxies to trust it.",
  not_forwarded: "Configure this proxy to send X-Forwarded-For or Forwarded.",
};

/** Enough to notice somebody who tries, and little enough for a disk when that goes on all night. */
const REFUSED_LOGINS = 10;
const REFUSED_LOGINS_MS = 60_000;
/** What fails is tried every few seconds, for as long as the database is away. */
const FAILURES = 1;
const FAILURES_MS = 60_000;

export function createEvents(parts: RequestLogParts): Events {
  const { logger, metrics, clock } = parts;
  const say = sayTo(logger);
  let loadedModels: number | null = null;
  const refusals = createLineAllowance({ most: REFUSED_LOGINS, perMs: REFUSED_LOGINS_MS, clock });
  const requests: RequestLogParts = { ...parts, record: parts.record ?? null };

  return {
    ...createDutyEvents(parts),
    ...createFileEvents(parts),
    ...createOperatorEvents(parts),
    ...createSignInEvents(parts),
    ...createServerEvents(parts),
    requestOpened: (request) => openRequestLog(requests, request),
    socketOpened: metrics.socketOpened,
    socketClosed: metrics.socketClosed,
    recordRequests: (record) => void (requests.record = record),
    ...createProviderEvents(parts),
    serverListening: ({ name, url }) => say("listening", { listener: name, url }),
    addressesHidden: ({ peer, reason }) => say("addressesHidden", { peer, reason, fix: HIDDEN[reason] }),
    drainStarted: ({ openRequests, deadlineMs }) => {
      metrics.draining();
      say("drainStarted", { open_requests: openRequests, deadline_ms: deadlineMs });
    },
    drainFinished: ({ openRequests }) =>
      say("drainFinished", { open_requests: openRequests }, openRequests > 0 ? "warn" : "info"),
    ...createDatabaseEvents(parts),
    catalogueLoaded: ({ models }) => {
      if (models === loadedModels) return;
      loadedModels = models;
      metrics.catalogueLoaded(models);
      say("catalogueLoaded", { models });
    },
    initIgnored: () => say("initIgnored"),
    operatorRefused: ({ requestId, address, credential, reason, actor }) => {
      const line = refusals.take();
      if (line === null) return;
      const { unwritten } = line;
      say("adminRequestRejected", { request_id: requestId, address, credential, reason, actor, unwritten });
    },
    moneyAlarm: ({ kind, keyId, requestId, model, ...more }, accepted = null) => {
      const about = { kind, key_id: keyId, request_id: requestId, model, ...more };
      if (accepted !== null) {
        metrics.acceptedAlarm(accepted.kind);
        say("acceptedAlarm", { ...about, accepted_by: accepted.actor });
        return;
      }
      metrics.moneyAlarmed(kind);
      say("moneyAlarm", { ...about, fix: ALARM_FIXES[kind] });
    },
    adminRequestFailed: (error, requestId) =>
      say("adminRequestFailed", { request_id: requestId, error: describeError(error) }),
    bug: (error, requestId) => {
      metrics.bugFound();
      say("bug", { request_id: requestId, error: describeError(error) });
    },
  };
}

type DatabaseEvents = Pick<Events, "ledgerChanged" | "readFailed" | "connectionBroken">;

function createDatabaseEvents({ logger, metrics, clock }: RequestLogParts): DatabaseEvents {
  const say = sayTo(logger);
  const failedReads = createLineAllowance({ most: FAILURES, perMs: FAILURES_MS, clock });
  const broken = createLineAllowance({ most: FAILURES, perMs: FAILURES_MS, clock });
  let downSinceMs: number | null = null;
  metrics.ledgerUp(1);

  return {
    ledgerChanged: (ledger) => {
      if (ledger.state === "down") {
        downSinceMs = ledger.sinceMs;
        metrics.ledgerUp(0);
        const { words, sqlState, fix } = ledger.trouble;
        say("ledgerDown", { reason: words, sqlstate: sqlState, fix });
      } else {
        metrics.ledgerUp(1);
        if (downSinceMs !== null) say("ledgerUp", { down_ms: Math.round(clock.nowMs() - downSinceMs) });
        downSinceMs = null;
      }
    },
    readFailed: (what, error) => {
      const line = failedReads.take();
      if (line !== null) say("readFailed", { what, error: describeError(error), unwritten: line.unwritten });
    },
    connectionBroken: (error) => {
      const line = broken.take();
      if (line !== null) say("connectionBroken", { error: describeError(error), unwritten: line.unwritten });
    },
  };
}

type ProviderEvents = Pick<Events, "upstreamFailed" | "routeChanged" | "routeSlowed" | "credentialChanged">;

function createProviderEvents({ logger, metrics }: RequestLogParts): ProviderEvents {
  const say = sayTo(logger);

  return {
    upstreamFailed: ({ requestId, provider, routeId, reason, status }) => {
      metrics.upstreamCalled(provider, reason);
      // Our own credential is for an operator to mend; the rest may mend itself. [interface decision 31]
      const isOurs = reason === "credential_refused" || reason === "misconfigured";
      const fields = { request_id: requestId, provider, route_id: routeId, reason, status };
      if (isOurs) say("upstreamFailed", fields, "error");
      else say("upstreamFailed", { ...fields, fix: undefined });
    },
    routeChanged: ({ routeId, provider, state, reason, onHearsay }) =>
      state === "open"
        ? say("breakerOpened", { provider, route_id: routeId, reason, learned: onHearsay ? "reported" : "own_calls" })
        : say("breakerClosed", { provider, route_id: routeId }),
    routeSlowed: ({ routeId, provider, slowness }) =>
      slowness === null
        ? say("routeNotSlow", { provider, route_id: routeId })
        : say("routeSlow", {
            provider,
            route_id: routeId,
            begins_ms: Math.round(slowness.beginsMs),
            usual_ms: Math.round(slowness.usualMs),
          }),
    credentialChanged: ({ provider, problem }) =>
      problem === null ? say("credentialFound", { provider }) : say("credentialMissing", { provider, problem }),
  };
}
