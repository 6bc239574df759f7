import { randomFillSync } from "node:crypto";

const pool = Buffer.allocUnsafe(4096);
let used = pool.length;

/**
 * A UUID v7: sorts by the time it was made. Ids are made before the call that uses them, so that an unanswered call can be
 * repeated under the same id.
 */
export function createId(nowMs: number): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.toString("hex", used, (used += 10));
  const time = nowMs.toString(16).padStart(12, "0");
  const variant = "89ab"[Number.parseInt(random[3] ?? "0", 16) & 3];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

/** The id every response carries. It is the UUID of the request, so that the ledger, the log and the caller say the same. */
export const requestIdOf = (id: string): string => `req_${id.replaceAll("-", "")}`;
