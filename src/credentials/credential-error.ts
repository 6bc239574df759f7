/** A provider's credential cannot be had. The message says why and what to do, for an operator, and carries no secret. */
export class CredentialError extends Error {
  override readonly name = "CredentialError";
}
