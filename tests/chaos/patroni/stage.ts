import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberSecrets } from "../../support/gateway-process.ts";
import { type Ran, runTollgate } from "../../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../../support/serve-process.ts";
import { startSimulatorProcess } from "../../support/simulator-process.ts";

import { ask, type Ask, type StageKey } from "../ledger/ask.ts";
import type { ClientEntry, Evidence } from "../ledger/evidence.ts";
import { createProviderWitness } from "../ledger/provider-witness.ts";
import { readLedger, withClient } from "../ledger/read-ledger.ts";
import { stageCatalogue } from "../ledger/stage-catalogue.ts";
import { makeStageKey, type Means } from "../ledger/stage-keys.ts";
import type { Cluster } from "./cluster.ts";
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

const ADMIN_TOKEN = "an-admin-token-for-chaos";
const PROVIDER_KEY = "sk-provider-key-for-chaos-0123456789";
/** Streams that end while the servers are without a leader, and streams that outlast that. */
const MODELS = { brief: "sim+tokens=160+rate=20", lasting: "sim+tokens=900+rate=20" };
/** A lease of 15 s, a sweep every 5 s, voids that are tried again, and room for a busy machine. */
const REST_TIMEOUT_MS = 90_000;

export async function startStage(options: {
  route: RouteName;
  database: string;
  cluster: Cluster;
  sites: readonly Site[];
  keeper: Keeper;
}): Promise<Stage> {
  const { route, database, cluster, sites, keeper } = options;
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-chaos-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const simulator = parts.adopt(await startSimulatorProcess(), async (it) => void (await it.stop()));
  keeper.add(simulator.pid);
  rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY]);
  const environment = {
    PATH: process.env["PATH"] ?? "",
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    STAGE_PROVIDER_KEY: PROVIDER_KEY,
  };
  const catalogue = stageCatalogue({ simulatorUrl: simulator.url, deafUrl: simulator.url, extraModels: MODELS });
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
  const site = sites[0] as Site;
  const tollgate = (...words: string[]): Promise<Ran> =>
    runTollgate(words, { cwd: folder, env: { ...environment, ...site.environment(route, database) } });

  await cluster.createDatabase(database);
  for (const words of [["migrate"], ["catalogue", "apply", "catalogue.json"]]) {
    const ran = await tollgate(...words);
    if (ran.code !== 0) throw new Error(`${words.join(" ")}: ${ran.stderr}`);
  }
  const gateways = await Promise.all(
    sites.map(async (at) => {
      const env = { ...environment, ...at.environment(route, database) };
      const served = await startServeProcess({ folder, environment: env });
      keeper.add(served.pid);
      return { ...served, site: at.name };
    }),
  );
  parts.defer(async () => {
    for (const gateway of gateways) gateway.signal("SIGKILL");
    await Promise.all(gateways.map(({ ended }) => ended));
  });

  const witness = await createProviderWitness(simulator);
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
    tollgate,
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
