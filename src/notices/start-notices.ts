import type { Clock } from "../core/clock.ts";
import { LOG_ENDPOINT, type Webhook } from "../core/webhook-list.ts";
import type { DeliveryAttempt, AttemptEnd, Notice, NoticeCounts, NoticeStore } from "./notice.ts";
import { payloadOf } from "./payload.ts";
import { retryAfterMs } from "./retry-after.ts";
import { GONE, type SendWebhook } from "./send-webhook.ts";

type NoticesOptions = {
  store: Pick<NoticeStore, "take" | "ended" | "count">;
  webhooks: readonly Webhook[];
  send: SendWebhook;
  /** Longest that an attempt takes. */
  timeoutMs: number;
  clock: Pick<Clock, "elapsedMs">;
  random: () => number;
  everyMs?: number;
  /** To the log, once for each notice. */
  onNotice: (notice: Notice) => void;
  onAttempt: (
    endpoint: string,
    result: "delivered" | "failed" | "dead",
    why: { status: number | null; problem: string | null; attempt: number },
  ) => void;
  onCounted: (counts: NoticeCounts) => void;
  onDone: () => void;
  onFailed: (error: unknown) => void;
};

export type Notices = {
  /** Resolves when the endpoints are known to the database, so that the first notice finds them. Never rejects. */
  prepared: Promise<void>;
  stop: () => Promise<void>;
};

/** Under way at one endpoint, whichever process sends them. */
const EACH = 4;
/** Beyond its timeout an attempt has this long to be written down, before it is taken for lost. */
const WRITING_MS = 30_000;
const COUNT_EVERY_MS = 15_000;
const EVERY_MS = 1_000;

/** Sends notices, in the background: nothing that a request waits for depends on it. */
export function startNotices(options: NoticesOptions): Notices {
  const { store, webhooks, timeoutMs, everyMs = EVERY_MS } = options;
  const names = [LOG_ENDPOINT, ...webhooks.map(({ name }) => name)];
  const prepared = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const underway = new Set<Promise<void>>();
  const countNowAndThen = createCount(options);
  let timer: NodeJS.Timeout | null = null;
  let turning: Promise<void> | null = null;
  let ending = false;

  async function turn(): Promise<void> {
    if (timer) clearTimeout(timer);
    try {
      const attempts = await store.take(names, { each: EACH, leaseMs: timeoutMs + WRITING_MS });
      prepared.resolve();
      for (const attempt of attempts) {
        const work: Promise<void> = deliver(attempt)
          .catch(options.onFailed)
          .finally(() => underway.delete(work));
        underway.add(work);
      }
      await countNowAndThen();
      options.onDone();
    } catch (error) {
      options.onFailed(error);
    } finally {
      prepared.resolve();
    }
  }

  /** One turn at a time; the next comes after a while, or when an endpoint has taken something and may take more. */
  function begin(): void {
    if (turning || ending) return;
    turning = turn().finally(() => {
      turning = null;
      if (!ending) timer = setTimeout(begin, everyMs).unref();
    });
  }

  async function deliver(attempt: DeliveryAttempt): Promise<void> {
    const end = await sent(attempt, options, stopping.signal);
    await store.ended(attempt, end);
    if (end.ok) begin();
  }

  begin();
  return {
    prepared: prepared.promise,
    stop: async () => {
      ending = true;
      if (timer) clearTimeout(timer);
      // What attempts under way give back must not be taken by a look that has begun.
      await turning;
      stopping.abort();
      await Promise.all(underway);
    },
  };
}

function createCount({ store, clock, onCounted }: NoticesOptions) {
  let dueMs = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    if (clock.elapsedMs() < dueMs) return;
    dueMs = clock.elapsedMs() + COUNT_EVERY_MS;
    onCounted(await store.count());
  };
}

/** Makes one attempt, and says what came of it. */
async function sent(attempt: DeliveryAttempt, options: NoticesOptions, signal: AbortSignal): Promise<AttemptEnd> {
  const { webhooks, send, random, everyMs = EVERY_MS } = options;
  const { endpoint, notice } = attempt;
  if (endpoint === LOG_ENDPOINT) {
    options.onNotice(notice);
    return { ok: true, status: null, problem: null, againMs: null };
  }
  const webhook = webhooks.find(({ name }) => name === endpoint);
  if (!webhook) return { ok: false, status: null, problem: "endpoint unknown", againMs: everyMs };
  const { ok, status, problem } = await send(webhook, payloadOf(notice), signal);
  // Given to whoever comes next.
  if (problem === "stopped") return { ok, status, problem, againMs: 0 };
  const againMs = ok || status === GONE ? null : retryAfterMs(attempt, random());
  const result = ok ? "delivered" : againMs === null ? "dead" : "failed";
  options.onAttempt(endpoint, result, { status, problem, attempt: attempt.attempt });
  return { ok, status, problem, againMs };
}
