import { hash, timingSafeEqual } from "node:crypto";
import { Fault } from "../core/fault.ts";

/** The tokens that a listener knows. The second reads metrics alone; null: there is none. */
export type AdminTokens = { token: string; metricsToken: string | null };

/** Throws unless a header carries the operator's token. */
export function requireOperator(authorization: string | undefined, { token }: AdminTokens): void {
  if (!isEqual(presentedIn(authorization), token))
    throw new Fault("invalid_credentials", "Send the admin token as `Authorization: Bearer <token>`.");
}

/** Throws unless a header carries the token for metrics, or the operator's. */
export function requireReader(authorization: string | undefined, { token, metricsToken }: AdminTokens): void {
  const presented = presentedIn(authorization);
  // Both are compared, whichever it is.
  const isOperator = isEqual(presented, token);
  const isReader = metricsToken !== null && isEqual(presented, metricsToken);
  if (!isOperator && !isReader)
    throw new Fault(
      "invalid_credentials",
      "Send the metrics token or the admin token as `Authorization: Bearer <token>`.",
    );
}

const presentedIn = (authorization: string | undefined): string =>
  /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";

/** Digests are compared, so that neither content nor length shows in time. */
const isEqual = (presented: string, token: string): boolean =>
  timingSafeEqual(hash("sha256", presented, "buffer"), hash("sha256", token, "buffer"));
