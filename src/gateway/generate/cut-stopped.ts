import type { Clock } from "../../core/clock.ts";
import type { Key } from "../../keys/key.ts";
import { stateOf } from "../../keys/usable.ts";
import type { Running } from "./running.ts";

/** Ends what runs for keys that may no longer be used. */
export type CutStopped = {
  /** Word has come that this key has changed; null: any may have. */
  changed: (keyId: string | null) => Promise<void>;
  /** Time has passed, and with it perhaps the expiry of a key that has something running. */
  passed: () => Promise<void>;
};

type Parts = { running: Running; findKey: (id: string) => Promise<readonly Key[]>; clock: Pick<Clock, "nowMs"> };

/**
 * Requests of a key that is revoked, suspended, disabled or expired are refused from the next one on; what is under way is cut
 * here. A key that cannot be read now is looked at again with the next word, or the next moment. [L8]
 */
export function createCutStopped({ running, findKey, clock }: Parts): CutStopped {
  async function look(id: string): Promise<void> {
    const [key] = await findKey(id).catch(() => []);
    if (key === undefined) return;
    const state = stateOf(key, clock.nowMs());
    if (state === "active") running.expires(id, key.expiresAtMs);
    else running.cutKey(id, state);
  }
  // Apart, so that a key named is not looked at after all others.
  const named = oneByOne(look);
  const all = oneByOne(look);

  return {
    changed: (keyId) => {
      const runs = running.keyIds();
      return keyId === null ? all(runs) : named(runs.has(keyId) ? [keyId] : []);
    },
    passed: () => all(running.expired(clock.nowMs())),
  };
}

/** However many are asked for and however often, one read is under way: the connections are for requests. */
function oneByOne(look: (id: string) => Promise<void>): (ids: Iterable<string>) => Promise<void> {
  const waiting = new Set<string>();
  let underway: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      for (const id of waiting) {
        waiting.delete(id);
        await look(id);
      }
    } finally {
      underway = null;
    }
  }

  return (ids) => {
    for (const id of ids) waiting.add(id);
    if (waiting.size === 0) return underway ?? Promise.resolve();
    return (underway ??= run());
  };
}
