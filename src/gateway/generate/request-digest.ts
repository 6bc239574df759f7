import { createHmac } from "node:crypto";
import { LARGE_BODY_BYTES } from "../../core/large-body.ts";

const KEPT_BYTES = 16;

/**
 * What a request is known by in the journal: its holder can show which body a charge was for, and nobody without the secret can try
 * bodies against it. Null for large bodies, which are not read in this thread at all.
 */
export const requestDigest = (bytes: Buffer, secret: string): Buffer | null =>
  bytes.length > LARGE_BODY_BYTES ? null : createHmac("sha256", secret).update(bytes).digest().subarray(0, KEPT_BYTES);
