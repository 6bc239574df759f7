import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { type KeyMode, ORIGIN_PREFIX } from "../core/people/key-mode.ts";
import type { AddressOf, Authenticate } from "../keys/authenticate.ts";
import type { Key } from "../keys/key.ts";
import { sealingSecret } from "../keys/session-secret.ts";
import { requireUsable } from "../keys/usable.ts";
import type { Rate } from "../ledger/ledger.ts";
import type { RateDenials } from "../ledger/turn/rate-denials.ts";
import { overRate } from "./verdict-fault.ts";

/** Who has been let in. */
export type Caller = {
  key: Key;
  /** What was presented, or of a session what all its tokens have in common. It seals the answers kept for this caller, and is written nowhere. */
  secret: string;
  /** Hears what the rate of the key leaves it, as often as the ledger has counted. */
  onRate: (rate: Rate) => void;
  /** Reads the key anew, for when the ledger says that it has changed. Throws when it may no longer enter. */
  again: () => Promise<Caller> | Caller;
};

export type PresentedCredential = {
  secret: string;
  /** Where the request comes from. */
  address: AddressOf;
  /** The mode whose origin was used. */
  origin: KeyMode;
  /** Whether this route may say 403. */
  refusals: "full" | "unauthorised_only";
  onRate: Caller["onRate"];
  /** Hears whose secret it is, also when that key may not enter. */
  onKey?: (key: Key) => void;
};

export type OpenRequest = (presented: PresentedCredential) => Promise<Caller> | Caller;

/** Throws while the key is known to be over its rate. */
export function requireRate(denials: RateDenials, { id, rpmLimit }: Key, onRate: Caller["onRate"]): void {
  const waitMs = denials.remainingMs(id);
  if (waitMs === 0) return;
  if (rpmLimit !== null) onRate({ limit: rpmLimit, remaining: 0, resetMs: waitMs });
  throw overRate(rpmLimit, waitMs);
}

type Parts = { authenticate: Authenticate; denials: RateDenials; clock: Clock; publicUrl: () => string };

/** Who is calling, decided from the headers alone, before a byte of the body is read. [interface decision 8] */
export function createOpenRequest({ authenticate, denials, clock, publicUrl }: Parts): OpenRequest {
  function openRequest(presented: PresentedCredential): Promise<Caller> | Caller {
    const found = authenticate.find(presented.secret, presented.address);
    return found instanceof Promise ? found.then((key) => letIn(key, presented)) : letIn(found, presented);
  }

  function letIn(key: Key, presented: PresentedCredential): Caller {
    presented.onKey?.(key);
    requireUsable(key, clock.nowMs(), presented.refusals);
    if (key.mode !== presented.origin) throw wrongOrigin(key.mode);
    requireRate(denials, key, presented.onRate);
    const again = async (): Promise<Caller> => letIn(await authenticate.again(presented.secret, key), presented);
    return { key, secret: sealingSecret(presented.secret), onRate: presented.onRate, again };
  }

  function wrongOrigin(mode: KeyMode): Fault {
    const url = `${publicUrl()}${ORIGIN_PREFIX[mode]}`;
    return new Fault(
      "invalid_credentials",
      `This is a ${mode} key. Its base URL is ${url}/v1 for OpenAI-compatible clients and ${url} for Anthropic-compatible clients.`,
    );
  }

  return openRequest;
}
