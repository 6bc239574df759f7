import { setTimeout as sleep } from "node:timers/promises";
import { createCatalogue } from "../../catalogue/catalogue.ts";
import { keepFresh } from "../../catalogue/keep-fresh.ts";
import type { CatalogueStore } from "../../catalogue/model.ts";
import type { Route } from "../../core/catalogue/route.ts";
import { createWatchCredentials } from "../../credentials/watch-credentials.ts";
import type { Database } from "../../db/database.ts";
import { createCutStopped } from "../../gateway/generate/cut-stopped.ts";
import type { Running } from "../../gateway/generate/running.ts";
import { CHANGE_CHANNELS, createHearChanges, type HearChanges } from "../../gateway/hear-changes.ts";
import { createAuthenticate } from "../../keys/authenticate.ts";
import { createIssuedDigests } from "../../keys/issued-digests.ts";
import { createKeyStore } from "../../keys/key-store.ts";
import { createRateDenials, type RateDenials } from "../../ledger/turn/rate-denials.ts";
import type { StandbyGuard } from "../../ledger/duties/standby-guard.ts";
import { LIVE_CHANNEL } from "../../live/live.ts";
import type { PublishLive } from "../../live/publish-live.ts";
import { ROUTES_CHANNEL } from "../../upstream/news/route-news.ts";
import { authenticateAmong } from "./join-ledgers.ts";
import type { LedgerDatabase, ProcessParts } from "./process-parts.ts";
import type { ShareRoutes } from "./share-routes.ts";

/** Until all digests have been read, keys are looked up under the limits for guesses; millions of them are worth no wait. */
const ISSUED_WAIT_MS = 5_000;

type Beside = {
  catalogueStore: CatalogueStore;
  running: Running;
  standby: StandbyGuard;
  live: HearLive;
  routes: HearRoutes;
};

/** Is told when operators may want something of the requests in flight. */
type HearLive = Pick<PublishLive, "notified" | "hears">;

/** Is told what other processes say of routes. */
type HearRoutes = Pick<ShareRoutes, "notified">;

/** What is said on the one database that operators use. */
type Central = { live: HearLive; routes: HearRoutes };

/** What a process remembers of keys and models, kept up to date. Resolves when all of it has been read once. */
export async function keepCurrent(parts: ProcessParts, beside: Beside) {
  const { catalogueStore, running, standby, live, routes } = beside;
  const central = { live, routes };
  const { database, clock, ledgers } = parts;
  const denials = createRateDenials(clock);
  const { catalogue, freshness, isLoaded } = startCatalogue(parts, catalogueStore);
  const keys = await Promise.all(
    ledgers.map((ledger) => {
      // Models are announced by the one database that has them, which may be one of these.
      const catalogueChanged = ledger.database === database ? freshness.refresh : () => Promise.resolve();
      const heard = ledger.database === database ? central : null;
      return keepKeys(parts, ledger, { running, standby, denials, catalogueChanged, central: heard });
    }),
  );
  const apart = ledgers.some((ledger) => ledger.database === database)
    ? null
    : await hearModels(parts, { freshness, standby, central });
  await Promise.all([
    freshness.refresh(),
    Promise.race([
      Promise.all(keys.map(({ issued }) => issued.settled())),
      sleep(ISSUED_WAIT_MS, null, { ref: false }),
    ]),
  ]);
  const heard = [...keys, ...(apart === null ? [] : [apart])];

  return {
    authenticate: authenticateAmong(keys),
    denials,
    catalogue,
    isCatalogueLoaded: isLoaded,
    /** Whether changes are announced to this process. */
    hearsChanges: () => heard.every(({ changes }) => changes.hearing()),
    stop: () => {
      freshness.close();
      for (const { changes } of heard) changes.close();
    },
    unsubscribe: () => Promise.all(heard.map(({ subscription }) => subscription.close())),
  };
}

type KeysBeside = Pick<Beside, "running" | "standby"> & {
  denials: RateDenials;
  catalogueChanged: () => Promise<void>;
  /** Null: operators use another database. */
  central: Central | null;
};

/** What a process remembers of the keys of one ledger. */
async function keepKeys({ config, events, clock }: ProcessParts, ledger: LedgerDatabase, beside: KeysBeside) {
  const { running, standby, denials, catalogueChanged, central } = beside;
  const keyStore = createKeyStore(ledger.database);
  const issued = createIssuedDigests({ store: keyStore, onFailed: (error) => events.readFailed("keys", error) });
  const authenticate = createAuthenticate({ store: keyStore, issued, clock, ...config.keys });
  const cutStopped = createCutStopped({ running, findKey: keyStore.find });
  const changes = createHearChanges({
    keyChanged: (keyId) => {
      authenticate.forget(keyId);
      denials.forget(keyId);
      return cutStopped.changed(keyId);
    },
    accountChanged: (accountId) => {
      authenticate.forget(accountId);
      return cutStopped.accountChanged(accountId);
    },
    secretsMade: issued.noticed,
    catalogueChanged,
    onGap: standby.doubt,
    onHearing: events.changesHeard,
  });
  const subscription = await ledger.database.listen(...hearing(changes, central));
  return { ...ledger, authenticate, issued, changes, subscription };
}

/** Where the catalogue is in a database of its own. */
async function hearModels(
  { database, events }: ProcessParts,
  beside: { freshness: { refresh: () => Promise<void> }; standby: StandbyGuard; central: Central },
) {
  const { freshness, standby, central } = beside;
  const changes = createHearChanges({
    keyChanged: () => Promise.resolve(),
    accountChanged: () => Promise.resolve(),
    secretsMade: () => undefined,
    catalogueChanged: freshness.refresh,
    onGap: standby.doubt,
    onHearing: events.changesHeard,
  });
  return { changes, subscription: await database.listen(...hearing(changes, central)) };
}

/** One connection hears of changes, of what operators watch, and of routes. */
const hearing = (changes: HearChanges, central: Central | null): Parameters<Database["listen"]> =>
  central === null
    ? [CHANGE_CHANNELS, changes]
    : [
        [...CHANGE_CHANNELS, LIVE_CHANNEL, ROUTES_CHANNEL],
        {
          notified: (channel, payload) => {
            if (channel === LIVE_CHANNEL) central.live.notified();
            else if (channel === ROUTES_CHANNEL) central.routes.notified(payload);
            else changes.notified(channel, payload);
          },
          refresh: () => {
            changes.refresh();
            central.live.notified();
          },
          hears: (hears) => {
            changes.hears(hears);
            central.live.hears(hears);
          },
        },
      ];

function startCatalogue({ config, credentials, events, clock }: ProcessParts, store: CatalogueStore) {
  const catalogue = createCatalogue(clock);
  const watchCredentials = createWatchCredentials({ problem: credentials.problem, onChange: events.credentialChanged });
  let routes: readonly Route[] = [];
  const warm = credentials.watch(() => watchCredentials(routes));
  let loaded = false;
  const freshness = keepFresh({
    catalogue,
    store,
    clock,
    pollMs: config.catalogue.pollMs,
    onLoaded: (models) => {
      loaded = true;
      events.catalogueLoaded({ models: models.length });
      routes = models.flatMap((model) => model.routes);
      watchCredentials(routes);
      warm(new Map(routes.map((route) => [`${route.credentialRef} ${route.baseUrl}`, route])).values());
    },
    onFailed: (error) => events.readFailed("catalogue", error),
  });
  return { catalogue, freshness, isLoaded: () => loaded };
}
