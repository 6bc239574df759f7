import { createDigestFilter } from "./digest-filter.ts";
import type { KeyStore } from "./key.ts";

/** Which secrets were ever issued, as far as this process has heard; a hint, and never the ground of a refusal. */
export type IssuedDigests = {
  /** False: not known to have been issued. It may have been a moment ago, or while nobody listened. */
  has: (digest: Buffer) => boolean;
  /** A secret that was found in the store. */
  add: (digest: Buffer) => void;
  /** Word came that a key was made or changed; null means that word may have been missed. */
  noticed: (keyId: string | null) => void;
  /** Resolves when all that was noticed has been read, or could not be. */
  settled: () => Promise<void>;
};

type Options = {
  store: Pick<KeyStore, "countSecrets" | "digestsAfter" | "digestsOf">;
  onFailed: (error: unknown) => void;
};

const PAGE = 10_000;
const RETRY_MS = 5_000;
/** Room for keys to come, so that a filter is seldom made anew. */
const GROWTH = 2;
const SMALLEST = 4_096;

/** Keeps the filter up to date: read whole after every gap in notifications, and key by key after each of them. */
export function createIssuedDigests({ store, onFailed }: Options): IssuedDigests {
  let filter = createDigestFilter(SMALLEST);
  let next: typeof filter | null = null;
  let stale = false;
  /** Keys whose secrets are still to be read. */
  const changed = new Set<string>();
  let reading: Promise<void> | null = null;
  let retry: NodeJS.Timeout | null = null;

  function add(digest: Buffer): void {
    for (const each of next === null ? [filter] : [filter, next]) if (!each.has(digest)) each.add(digest);
  }

  async function readWhole(): Promise<void> {
    stale = false;
    next = createDigestFilter(Math.max(SMALLEST, GROWTH * (await store.countSecrets())));
    for await (const page of pagesOf(store)) for (const digest of page) add(digest);
    filter = next;
  }

  async function readChanged(): Promise<void> {
    const ids = [...changed].slice(0, PAGE);
    for (const digest of await store.digestsOf(ids)) add(digest);
    for (const id of ids) changed.delete(id);
  }

  async function read(): Promise<void> {
    try {
      while (stale || changed.size > 0) {
        if (stale || !filter.hasRoom()) await readWhole();
        if (changed.size > 0) await readChanged();
      }
    } catch (error) {
      stale = true;
      onFailed(error);
      retry ??= setTimeout(() => {
        retry = null;
        start();
      }, RETRY_MS).unref();
    } finally {
      next = null;
      reading = null;
    }
  }

  function start(): void {
    reading ??= read();
  }

  return {
    has: (digest) => filter.has(digest),
    add,
    noticed: (keyId) => {
      if (keyId === null) stale = true;
      else changed.add(keyId);
      start();
    },
    settled: async () => reading ?? undefined,
  };
}

async function* pagesOf({ digestsAfter }: Options["store"]): AsyncGenerator<readonly Buffer[]> {
  for (let page = await digestsAfter(null, PAGE); ;) {
    yield page;
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return;
    page = await digestsAfter(last, PAGE);
  }
}
