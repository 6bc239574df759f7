import type { Clock } from "../../core/clock.ts";
import type { WatchStore } from "../../live/live.ts";

export type LiveNames = { accounts: ReadonlyMap<string, string>; prefixes: ReadonlyMap<string, string> };

/** Names are read again after this: an account may be renamed. */
const KEPT_MS = 30_000;
const MOST_KEPT = 10_000;

type Named = { keyId: string | null; accounts: readonly string[] };
type Parts = { store: Pick<WatchStore, "names" | "prefixes">; clock: Pick<Clock, "elapsedMs"> };

/** What accounts and keys are called. Read for what has not been named yet, and not for every watcher every second. */
export function createLiveNames({ store, clock }: Parts) {
  const accounts = new Map<string, string>();
  const prefixes = new Map<string, string>();
  const asked = new Set<string>();
  let sinceMs = clock.elapsedMs();

  function forget(): void {
    for (const kept of [accounts, prefixes, asked]) kept.clear();
    sinceMs = clock.elapsedMs();
  }

  return async (rows: readonly Named[]): Promise<LiveNames> => {
    if (asked.size > MOST_KEPT || clock.elapsedMs() - sinceMs > KEPT_MS) forget();
    const unasked = (ids: readonly string[]): string[] => [...new Set(ids)].filter((id) => !asked.has(id));
    const newAccounts = unasked(rows.flatMap((row) => row.accounts));
    const newKeys = unasked(rows.flatMap(({ keyId }) => keyId ?? []));
    if (newAccounts.length > 0) for (const [id, name] of await store.names(newAccounts)) accounts.set(id, name);
    if (newKeys.length > 0) for (const [id, prefix] of await store.prefixes(newKeys)) prefixes.set(id, prefix);
    for (const id of [...newAccounts, ...newKeys]) asked.add(id);
    return { accounts, prefixes };
  };
}
