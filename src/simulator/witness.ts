import type { ProviderDialect } from "../core/request/dialect.ts";

export type CallEnd = "completed" | "failed" | "caller_gone";

/** What the provider saw of one call. The object is live: its figures grow while the call runs. */
export type Call = {
  seq: number;
  callId: string;
  dialect: ProviderDialect;
  /** Null until the body has been read, and for calls that name no model. */
  model: string | null;
  path: string;
  receivedAtMs: number;
  requestBytes: number;
  /** Kept only when small, and only while the witness has room. */
  body: unknown;
  /** Without the credentials. */
  headers: Record<string, string>;
  /** The start of the credential's SHA-256; null when there was none. */
  credentialDigest: string | null;
  streamed: boolean;
  /** Null while nothing has been sent. */
  status: number | null;
  /** Waits to be released. */
  paused: boolean;
  eventsProduced: number;
  tokensProduced: number;
  bytesProduced: number;
  /** Of the body of the answer, when the script asked for it. */
  sha256: string | null;
  firstByteAtMs: number | null;
  endedAtMs: number | null;
  ended: CallEnd | null;
  callerGoneAtMs: number | null;
};

export type NewCall = Pick<Call, "callId" | "dialect" | "path" | "receivedAtMs" | "headers" | "credentialDigest">;

/** The provider's own testimony, to be held against what a gateway claims. */
export type Witness = {
  /** Calls after a sequence number, oldest first. */
  calls: (afterSeq?: number) => Call[];
  find: (callId: string) => Call | null;
  /** The first call that matches, now or later. */
  waitFor: (matches: (call: Call) => boolean) => Promise<Call>;
  /** Forgets every call; sequence numbers go on, so that a reader's place stays valid. */
  reset: () => void;
};

export type WitnessLog = Witness & {
  open: (call: NewCall) => Call;
  keepBody: (call: Call, body: unknown) => void;
  /** Says that a call has entered another state, for those who wait. */
  changed: (call: Call) => void;
};

/** Bodies and headers above this are dropped from the oldest calls on; the figures stay. */
const DETAIL_BUDGET_BYTES = 64 * 1024 * 1024;
const LARGEST_KEPT_BODY_BYTES = 16 * 1024;

export function createWitness({ limit }: { limit: number }): WitnessLog {
  const ring: Call[] = [];
  let waiting: { matches: (call: Call) => boolean; resolve: (call: Call) => void }[] = [];
  let lastSeq = 0;
  let firstSeq = 1;
  const details = createDetails(limit, (seq) => ring[seq % limit]);

  const calls = (afterSeq = 0): Call[] => {
    const found: Call[] = [];
    for (let seq = Math.max(firstSeq, afterSeq + 1); seq <= lastSeq; seq += 1) {
      const call = ring[seq % limit];
      if (call) found.push(call);
    }
    return found;
  };

  return {
    calls,
    find: (callId) => calls().findLast((call) => call.callId === callId) ?? null,
    waitFor: (matches) => {
      const known = calls().find((call) => matches(call));
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => waiting.push({ matches, resolve }));
    },
    reset: () => {
      ring.length = 0;
      firstSeq = lastSeq + 1;
      details.reset(firstSeq);
    },
    open: (newCall) => {
      lastSeq += 1;
      firstSeq = Math.max(firstSeq, lastSeq - limit + 1);
      details.dropBefore(firstSeq);
      const call = { ...BLANK, ...newCall, seq: lastSeq };
      ring[lastSeq % limit] = call;
      details.open(lastSeq, headerBytes(newCall.headers));
      return call;
    },
    keepBody: (call, body) => {
      if (call.requestBytes > LARGEST_KEPT_BODY_BYTES || !details.has(call.seq)) return;
      call.body = body;
      details.add(call.seq, call.requestBytes);
    },
    changed: (call) => {
      if (waiting.length === 0) return;
      const met = waiting.filter((waiter) => waiter.matches(call));
      waiting = waiting.filter((waiter) => !met.includes(waiter));
      for (const waiter of met) waiter.resolve(call);
    },
  };
}

/** Bodies and headers of the last calls, as many as their budget holds. */
function createDetails(limit: number, callAt: (seq: number) => Call | undefined) {
  const bytesAt: number[] = [];
  let firstSeq = 1;
  let lastSeq = 0;
  let keptBytes = 0;

  function dropOldest(): void {
    const call = callAt(firstSeq);
    if (call) Object.assign(call, { body: null, headers: {} });
    keptBytes -= bytesAt[firstSeq % limit] ?? 0;
    firstSeq += 1;
  }

  function add(seq: number, bytes: number): void {
    if (seq < firstSeq) return;
    bytesAt[seq % limit] = (bytesAt[seq % limit] ?? 0) + bytes;
    keptBytes += bytes;
    while (keptBytes > DETAIL_BUDGET_BYTES && firstSeq < lastSeq) dropOldest();
  }

  return {
    add,
    has: (seq: number): boolean => seq >= firstSeq,
    open: (seq: number, bytes: number): void => {
      lastSeq = seq;
      bytesAt[seq % limit] = 0;
      add(seq, bytes);
    },
    dropBefore: (seq: number): void => {
      while (firstSeq < seq) dropOldest();
    },
    reset: (seq: number): void => {
      bytesAt.length = 0;
      keptBytes = 0;
      firstSeq = seq;
    },
  };
}

const BLANK = {
  model: null,
  requestBytes: 0,
  body: null,
  streamed: false,
  status: null,
  paused: false,
  eventsProduced: 0,
  tokensProduced: 0,
  bytesProduced: 0,
  sha256: null,
  firstByteAtMs: null,
  endedAtMs: null,
  ended: null,
  callerGoneAtMs: null,
};

function headerBytes(headers: Record<string, string>): number {
  let bytes = 0;
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0);
  return bytes;
}
