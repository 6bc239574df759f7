import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { type KeyMode, ORIGIN_PREFIX } from "../core/key-mode.ts";
import type { Authenticate } from "../keys/authenticate.ts";
import type { Key } from "../keys/key.ts";
import { requireUsable } from "../keys/usable.ts";

/** A key that has been let in. */
export type Caller = Key;

export type OpenRequest = (knock: {
  secret: string;
  /** The mode whose origin was used. */
  origin: KeyMode;
  /** Whether this route may say 403. */
  refusals: "full" | "unauthorised_only";
}) => Promise<Caller> | Caller;

type Parts = { authenticate: Authenticate; clock: Clock; publicUrl: () => string };

/** Who is calling, decided from the headers alone, before a byte of the body is read. [decision 8] */
export const createOpenRequest =
  ({ authenticate, clock, publicUrl }: Parts): OpenRequest =>
  ({ secret, origin, refusals }) => {
    const found = authenticate.find(secret);
    return found instanceof Promise ? found.then(letIn) : letIn(found);

    function letIn(key: Key): Caller {
      requireUsable(key, clock.nowMs(), refusals);
      if (key.mode === origin) return key;
      throw new Fault(
        "invalid_credentials",
        `This is a ${key.mode} key; its base URL is ${publicUrl()}${ORIGIN_PREFIX[key.mode]} (with /v1 where a client asks for it).`,
      );
    }
  };
