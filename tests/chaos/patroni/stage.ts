import type { Ran } from "../../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../../support/serve-process.ts";

import { ask, type Ask, type StageKey } from "../ledger/ask.ts";
import type { ClientEntry, Evidence } from "../ledger/evidence.ts";
import { readLedger, withClient } from "../ledger/read-ledger.ts";
import { makeStageKey, type Means } from "../ledger/stage-keys.ts";
import type { Backdrop } from "./backdrop.ts";
import type { Cluster } from "./cluster.ts";
import { insist } from "./insist.ts";
import { poll } from "./poll.ts";
import type { Keeper } from "./part.ts";
import type { RouteName, Site } from "./site.ts";

/** What a caller saw, and at which gateway. */
export type Entry = ClientEntry & { site: string };

export type Gateway = ServeProcess & { site: string };

/** Two gateways that find their database by one route, a provider of theirs, a database of theirs, and their callers. */
export type Stage = {
  route: RouteName;
  gateways: readonly Gateway[];
  entries: readonly Entry[];
  ask: (gateway: Gateway, options: Omit<Ask, "url" | "marker">) => Promise<Entry>;
  makeKey: (means: Means) => Promise<StageKey>;
  tollgate: (...words: string[]) => Promise<Ran>;
  /** How long it took until nothing was held any more; null when something still is. */
  untilNothingHeld: () => Promise<number | null>;
  evidence: () => Promise<Evidence>;
  close: () => Promise<void>;
};

/** A lease of 15 s, a sweep every 5 s, voids that are tried again, and room for a busy machine. */
const REST_TIMEOUT_MS = 90_000;

export async function startStage(options: {
  route: RouteName;
  database: string;
  cluster: Cluster;
  sites: readonly Site[];
  backdrop: Backdrop;
  keeper: Keeper;
}): Promise<Stage> {
  const { route, database, cluster, sites, backdrop, keeper } = options;
  const { folder, environment, witness } = backdrop;
  await using parts = new AsyncDisposableStack();
  const gateways = await Promise.all(
    sites.map(async (at) => {
      const env = { ...environment, ...at.environment(route, database) };
      const served = await insist(() => startServeProcess({ folder, environment: env }));
      keeper.add(served.pid);
      return { ...served, site: at.name };
    }),
  );
  parts.defer(async () => {
    for (const gateway of gateways) gateway.signal("SIGKILL");
    await Promise.all(gateways.map(({ ended }) => ended));
  });

  const entries: Entry[] = [];
  const run = Math.random().toString(36).slice(2, 8).padEnd(6, "0");
  let markers = 0;
  const leaderUrl = async (): Promise<string> => {
    const leader = await cluster.leader();
    if (leader === null) throw new Error("no server leads");
    return cluster.superuserUrl(leader, database);
  };
  const kept = parts.move();
  return {
    route,
    gateways,
    entries,
    ask: async (gateway, wanted) => {
      const marker = `mk-${run}-${String((markers += 1)).padStart(7, "0")}`;
      const entry = { ...(await ask({ ...wanted, marker, url: gateway.url })), site: gateway.site };
      entries.push(entry);
      return entry;
    },
    makeKey: async (means) => makeStageKey(await leaderUrl(), means),
    tollgate: (...words) => backdrop.tollgate(words, { route, database }),
    untilNothingHeld: async () => {
      const startedMs = performance.now();
      const nothing = async (): Promise<boolean> => (await heldNow(await leaderUrl())) === 0;
      const rested = await poll(nothing, "nothing is held", REST_TIMEOUT_MS).then(
        () => true,
        () => false,
      );
      return rested ? performance.now() - startedMs : null;
    },
    evidence: async () => ({
      clients: [...entries],
      calls: await witness.testimony(),
      ledger: await readLedger(await leaderUrl()),
    }),
    close: () => kept.disposeAsync(),
  };
}

const heldNow = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const sql = "select (select count(*) from hold)::int + (select count(*) from balance where held > 0)::int as held";
    const { rows } = await client.query<{ held: number }>(sql);
    return rows[0]?.held ?? 0;
  }).catch(() => -1);
