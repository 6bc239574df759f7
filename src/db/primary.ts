import { NotPrimaryError } from "./database-error.ts";
import { hostOf } from "./host-list.ts";

/** Which of several servers takes writes. */
export type Primary = {
  /** The server last known to take writes, or the first listed. */
  url: () => string;
  /** Grows with every doubt. A connection of an older generation may lead to a server that has been demoted. */
  generation: () => number;
  /** Resolves when the primary is known, looking for it where needed; rejects when no host takes writes. */
  found: () => Promise<void>;
  /** Says that a connection of this generation failed, so that the next caller looks again. */
  doubt: (generation: number) => void;
};

/** With a single host there is nothing to look for; with more, all are asked at once and the first primary wins. */
export function createPrimary(options: {
  urls: readonly string[];
  inRecovery: (url: string) => Promise<boolean>;
}): Primary {
  const { urls, inRecovery } = options;
  let current = urls[0] ?? "";
  let generation = 0;
  let known = urls.length === 1;
  let search: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    const asked = generation;
    const url = await firstPrimary(urls, inRecovery);
    current = url;
    // A doubt raised meanwhile is honoured: the next caller looks again.
    known = asked === generation;
  };

  return {
    url: () => current,
    generation: () => generation,
    found: () => {
      if (known) return Promise.resolve();
      search ??= look().finally(() => {
        search = null;
      });
      return search;
    },
    doubt: (failed) => {
      if (failed !== generation) return;
      generation += 1;
      known = urls.length === 1;
    },
  };
}

async function firstPrimary(urls: readonly string[], inRecovery: (url: string) => Promise<boolean>): Promise<string> {
  const probes = urls.map(async (url) => {
    if (await inRecovery(url)) throw new NotPrimaryError(`${hostOf(url)} is a standby`);
    return url;
  });
  try {
    return await Promise.any(probes);
  } catch (error) {
    const hosts = urls.map(hostOf).join(", ");
    throw new NotPrimaryError(`no database server takes writes; asked ${hosts}`, { cause: error });
  }
}
