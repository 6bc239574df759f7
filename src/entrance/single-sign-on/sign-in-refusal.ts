import type { Fault } from "../../core/fault.ts";
import type { Forbidden } from "../../core/forbidden.ts";

/** Somebody came back from the provider and is refused: the reason is for the audit log, the refusal for them. */
export class SignInRefusal extends Error {
  readonly reason: string;
  readonly refusal: Fault | Forbidden;

  constructor(reason: string, refusal: Fault | Forbidden) {
    super(reason);
    this.reason = reason;
    this.refusal = refusal;
  }
}
