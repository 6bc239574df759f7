import { setTimeout as delay } from "node:timers/promises";
import { createNotices } from "./notices.ts";

const KEYS_CHANNEL = "tollgate_keys";
const ACCOUNTS_CHANNEL = "tollgate_accounts";
const CATALOGUE_CHANNEL = "tollgate_catalogue";

/** Where changes of keys, of accounts and of the catalogue are announced. */
export const CHANGE_CHANNELS: readonly string[] = [KEYS_CHANNEL, ACCOUNTS_CHANNEL, CATALOGUE_CHANNEL];

/** While nothing is heard, what is known of keys and models is thrown away this often: it is never older. */
const UNHEARD_REFRESH_MS = 5_000;
/** Which secrets were issued is a hint, and reading it again costs as much as there are keys. */
const DIGESTS_EVERY = 12;

export type HearChanges = {
  notified: (channel: string, payload: string) => void;
  /** Anything may have been missed. */
  refresh: () => void;
  hears: (hears: boolean) => void;
  /** Whether changes reach this process as they are made, as far as is known. */
  hearing: () => boolean;
  close: () => void;
};

type Parts = {
  /** A key has changed; null: any may have. */
  keyChanged: (keyId: string | null) => Promise<void>;
  /** An account has changed, and with it perhaps every key below. */
  accountChanged: (accountId: string) => Promise<void>;
  /** Secrets of this key may have been made; null: of any. */
  secretsMade: (keyId: string | null) => void;
  catalogueChanged: () => Promise<void>;
  /** Anything may have been missed; the database may be another server. */
  onGap: () => void;
  onHearing: (state: { hears: boolean; staleMs: number }) => void;
  unheardRefreshMs?: number;
};

/**
 * Keeps what this process knows of keys and models up to date: by word of each change, and by looking often while no word
 * arrives. A key's limits are exact either way: the ledger refuses a key whose version is not the one that was read.
 */
export function createHearChanges(parts: Parts): HearChanges {
  const { keyChanged, secretsMade, catalogueChanged, onGap, onHearing, unheardRefreshMs = UNHEARD_REFRESH_MS } = parts;
  let looking: AbortController | null = null;
  const notices = createNotices({
    keyChanged: (keyId) => {
      secretsMade(keyId);
      void keyChanged(keyId);
    },
    accountChanged: (accountId) => void parts.accountChanged(accountId),
    catalogueChanged: () => void catalogueChanged(),
  });

  async function lookOften({ signal }: AbortController): Promise<void> {
    for (let round = 1; !signal.aborted; round++) {
      await delay(unheardRefreshMs, null, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      if (round % DIGESTS_EVERY === 0) secretsMade(null);
      await Promise.all([keyChanged(null), catalogueChanged()]);
    }
  }

  return {
    notified: (channel, payload) => {
      if (channel === CATALOGUE_CHANNEL) notices.catalogue();
      if (channel === ACCOUNTS_CHANNEL) notices.account(payload);
      if (channel === KEYS_CHANNEL) notices.key(payload);
    },
    refresh: () => {
      onGap();
      notices.missed();
    },
    hears: (hears) => {
      // Good news at the start is no news.
      if (hears && looking === null) return;
      onHearing({ hears, staleMs: unheardRefreshMs });
      looking?.abort();
      looking = hears ? null : new AbortController();
      if (looking !== null) void lookOften(looking);
    },
    hearing: () => looking === null,
    close: () => looking?.abort(),
  };
}
