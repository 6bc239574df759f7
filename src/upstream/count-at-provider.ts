import { isObject } from "../core/is-object.ts";
import { call } from "./call.ts";
import type { Pools } from "./pools.ts";
import { createPrepareTarget } from "./prepare-target.ts";
import { readBeginning } from "./read-beginning.ts";
import type { Target, UpstreamAnswer } from "./upstream.ts";

/** Agents count before every turn; a count that takes longer is of no use to them. */
const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 65_536;

type Task = { target: Target; body: Buffer; headers: Readonly<Record<string, string>> };

/** A provider's own count of a request's input; null when it gave none, for whatever reason. */
export type CountAtProvider = (task: Task) => Promise<number | null>;

type Parts = { pools: Pools; credential: (reference: string) => string | null; elapsedMs: () => number };

/** Asks a provider that speaks messages. */
export function createCountAtProvider({ pools, credential, elapsedMs }: Parts): CountAtProvider {
  const prepare = createPrepareTarget(credential);

  /** Refused, unreachable or too slow: all one to somebody who can estimate instead. */
  async function head({ target, body, headers }: Task): Promise<UpstreamAnswer | null> {
    let giveUp: (() => void) | null = null;
    const timer = setTimeout(() => giveUp?.(), TIMEOUT_MS);
    try {
      const prepared = prepare(target);
      return await call(pools, {
        origin: prepared.origin,
        path: `${prepared.path}/count_tokens`,
        headers: { ...prepared.headers, ...headers },
        body,
        connectTimeoutMs: target.connectTimeoutMs,
        firstByteTimeoutMs: TIMEOUT_MS,
        idleTimeoutMs: TIMEOUT_MS,
        sink: { onGone: (callback) => (giveUp = callback) },
      });
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  return async (task) => {
    const startedAtMs = elapsedMs();
    const answer = await head(task);
    if (answer === null) return null;
    const timeoutMs = Math.max(0, TIMEOUT_MS - (elapsedMs() - startedAtMs));
    const bytes = await readBeginning(answer.body, { maxBytes: MAX_ANSWER_BYTES, timeoutMs });
    return answer.status === 200 ? countIn(bytes) : null;
  };
}

function countIn(bytes: Buffer): number | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const count = isObject(value) ? value["input_tokens"] : null;
    return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
  } catch {
    return null;
  }
}
