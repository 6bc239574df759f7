import { createHash } from "node:crypto";
import type { Claim } from "../../../ledger/ledger.ts";

/** A request that was sent to be made once, and what it is known again by. */
export type IdempotentRequest = { idempotencyKey: string; route: string; fingerprint: Buffer };

/** The claim a request lays to its Idempotency-Key: digests only, since the key may be anything a caller finds handy. [interface decision 24] */
export function claimOf({ idempotencyKey, fingerprint }: IdempotentRequest): Claim {
  return {
    keySha256: createHash("sha256").update(idempotencyKey).digest(),
    fingerprint,
  };
}
