import { createHash } from "node:crypto";
import type { Claim } from "../ledger/ledger.ts";

/** What makes a request the same one when it is sent again. */
export type IdempotentRequest = {
  idempotencyKey: string;
  route: string;
  /** The version header, which changes how the same body is read. */
  version: string;
  bytes: Buffer;
};

/** The claim a request lays to its Idempotency-Key: digests only, since the key may be anything a caller finds handy. [decision 24] */
export function claimOf({ idempotencyKey, route, version, bytes }: IdempotentRequest): Claim {
  return {
    route,
    keySha256: createHash("sha256").update(idempotencyKey).digest(),
    fingerprint: createHash("sha256").update(`POST\n${route}\n${version}\n`).update(bytes).digest(),
  };
}
