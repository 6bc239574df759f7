import { setTimeout as sleep } from "node:timers/promises";

type Parts = {
  /** This key may have changed; null: any may have. */
  keyChanged: (keyId: string | null) => void;
  /** This account may have changed, and with it every key below. */
  accountChanged: (accountId: string) => void;
  catalogueChanged: () => void;
  pause?: (ms: number) => Promise<unknown>;
};

export type ChangeNotices = {
  /** The database says that a key has changed. */
  key: (payload: string) => void;
  /** It says that an account has. */
  account: (payload: string) => void;
  catalogue: () => void;
  /** Notices may have been missed. */
  missed: () => void;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** One round: its first notices of keys are passed on at once, the others together at its end, each key once. */
const PACE_MS = 50;
/** An operator who suspends a key and resumes it must not wait for the end of a round. */
const AT_ONCE = 10;
/** Past it all keys are looked at, which costs less. */
const MOST_KEYS = 10_000;

/**
 * Passes on what the database notifies us of. Any role of the database can send these, as many as it likes and with any text: a
 * notice is only a reason to read again, so what names nothing is dropped, and a flood costs one round of reading per pace.
 */
export function createNotices(parts: Parts): ChangeNotices {
  const { keyChanged, pause = pauseUnheld } = parts;
  const changes: Changes = { keys: new Set(), accounts: new Set(), allKeys: false, catalogue: false };
  let pacing = false;
  let passedAtOnce = 0;

  async function pace(): Promise<void> {
    pacing = true;
    while (hasAny(changes)) {
      passOn(changes, parts);
      await pause(PACE_MS);
      passedAtOnce = 0;
    }
    pacing = false;
  }

  const noted = (): void => {
    if (!pacing) void pace();
  };

  return {
    key: (payload) => {
      if (!UUID.test(payload)) return;
      if (pacing && passedAtOnce < AT_ONCE) {
        passedAtOnce++;
        keyChanged(payload);
        return;
      }
      if (changes.keys.size <= MOST_KEYS) changes.keys.add(payload);
      noted();
    },
    account: (payload) => {
      if (!UUID.test(payload)) return;
      if (changes.accounts.size <= MOST_KEYS) changes.accounts.add(payload);
      noted();
    },
    catalogue: () => {
      changes.catalogue = true;
      noted();
    },
    missed: () => {
      changes.allKeys = changes.catalogue = true;
      noted();
    },
  };
}

/** What the end of this round passes on. */
type Changes = { keys: Set<string>; accounts: Set<string>; allKeys: boolean; catalogue: boolean };

const hasAny = ({ keys, accounts, allKeys, catalogue }: Changes): boolean =>
  allKeys || catalogue || keys.size + accounts.size > 0;

function passOn(changes: Changes, { keyChanged, accountChanged, catalogueChanged }: Parts): void {
  const { keys, accounts, allKeys, catalogue } = changes;
  if (allKeys || keys.size + accounts.size > MOST_KEYS) keyChanged(null);
  else {
    for (const id of accounts) accountChanged(id);
    for (const id of keys) keyChanged(id);
  }
  if (catalogue) catalogueChanged();
  keys.clear();
  accounts.clear();
  changes.allKeys = changes.catalogue = false;
}

const pauseUnheld = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });
