import { randomFillSync } from "node:crypto";

const POOL_BYTES = 8_192;
/** Nineteen hexadecimal digits are needed: eighteen of random, and two bits of a nineteenth. */
const RANDOM_BYTES = 10;
const VARIANTS = ["8", "9", "a", "b"] as const;

const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;
let lastMs = -1;
let lastTime = "";

/**
 * A UUID v7: sorts by the time it was made. Ids are made before the call that uses them, so that an unanswered call can be
 * repeated under the same id.
 */
export function createId(nowMs: number): string {
  if (used + RANDOM_BYTES > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  if (nowMs !== lastMs) {
    const time = nowMs.toString(16).padStart(12, "0");
    lastTime = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    lastMs = nowMs;
  }
  const random = pool.toString("hex", used, used + RANDOM_BYTES);
  const variant = VARIANTS[(pool[used] as number) & 3] as string;
  used += RANDOM_BYTES;
  return `${lastTime}${random.slice(2, 5)}-${variant}${random.slice(5, 8)}-${random.slice(8, 20)}`;
}

/** The id every response carries. It is the UUID of the request, so that the ledger, the log and the caller say the same. */
export const requestIdOf = (id: string): string =>
  `req_${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`;

const REQUEST_ID = /^(?:req_)?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

/** The UUID of a request, by the id that its response carries or by itself; null: it is neither. */
export function requestUuid(requestId: string): string | null {
  const [, ...parts] = REQUEST_ID.exec(requestId) ?? [];
  return parts.length === 0 ? null : parts.join("-").toLowerCase();
}
