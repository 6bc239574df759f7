import type { Key } from "../../keys/key.ts";
import { statusOf } from "../../keys/usable.ts";
import type { Running } from "./running.ts";

/** Ends what runs for keys that may no longer be used. */
export type CutStopped = {
  /** Word has come that this key has changed; null: any may have. */
  changed: (keyId: string | null) => Promise<void>;
  /** Word has come that this account has: any key below it may have, too. */
  accountChanged: (accountId: string) => Promise<void>;
};

type Parts = { running: Running; findKey: (id: string) => Promise<readonly Key[]> };

/**
 * Requests of a key that is revoked, suspended or disabled, by its own status or that of an account above it, are refused from the
 * next one on; what is under way is cut here. What runs when a key expires ends by itself. A key that cannot be read now is looked
 * at again with the next word. [L8]
 */
export function createCutStopped({ running, findKey }: Parts): CutStopped {
  async function look(id: string): Promise<void> {
    const [key] = await findKey(id).catch(() => []);
    if (key === undefined) return;
    const status = statusOf(key);
    if (status === "active") running.moved(key);
    else
      running.cutKey(id, {
        status,
        by: status === key.status ? "key" : "account",
        of: key.personId === null ? "key" : "session",
      });
  }
  // Apart, so that a key named is not looked at after all others.
  const named = oneByOne(look);
  const all = oneByOne(look);

  return {
    changed: (keyId) => {
      const runs = running.keyIds();
      return keyId === null ? all(runs) : named(runs.has(keyId) ? [keyId] : []);
    },
    accountChanged: (accountId) => all(running.keyIds(accountId)),
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
