import { Fault } from "../../core/fault.ts";

/** For a read that failed, was cancelled because it took too long, or found no free connection: nothing else waits for it. */
export function recordsAway(cause: unknown): never {
  if (cause instanceof Fault) throw cause;
  throw new Fault("service_unavailable", "Usage can't be read right now. Try again in a moment.", {
    retryAfterSeconds: 2,
    cause,
  });
}
