import { hash, timingSafeEqual } from "node:crypto";
import { Fault } from "../core/fault.ts";

/** Whether a header carries the operator's token. Digests are compared, so that neither content nor length shows in time. */
export function requireOperator(authorization: string | undefined, token: string): void {
  const presented = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
  const equal = timingSafeEqual(hash("sha256", presented, "buffer"), hash("sha256", token, "buffer"));
  if (!equal) throw new Fault("invalid_credentials", "Send the admin token as `Authorization: Bearer <token>`.");
}
