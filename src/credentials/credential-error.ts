import { Conflict } from "../core/conflict.ts";

/**
 * A provider's credential cannot be had, for want of a key or a variable that an operator can set. The message says why and what
 * to do, and carries no secret.
 */
export class CredentialError extends Conflict {
  override readonly name = "CredentialError";
}
