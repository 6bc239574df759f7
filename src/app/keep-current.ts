import { setTimeout as sleep } from "node:timers/promises";
import { createCatalogue } from "../catalogue/catalogue.ts";
import { keepFresh } from "../catalogue/keep-fresh.ts";
import type { CatalogueStore } from "../catalogue/model.ts";
import { createWatchCredentials } from "../credentials/watch-credentials.ts";
import { createCutStopped } from "../gateway/generate/cut-stopped.ts";
import type { Running } from "../gateway/generate/running.ts";
import { CHANGE_CHANNELS, createHearChanges } from "../gateway/hear-changes.ts";
import { createAuthenticate } from "../keys/authenticate.ts";
import { createIssuedDigests } from "../keys/issued-digests.ts";
import { createKeyStore } from "../keys/key-store.ts";
import { createRateDenials } from "../ledger/rate-denials.ts";
import type { StandbyGuard } from "../ledger/standby-guard.ts";
import type { ProcessParts } from "./process-parts.ts";

/** Until all digests have been read, keys are looked up under the limits for guesses; millions of them are worth no wait. */
const ISSUED_WAIT_MS = 5_000;
/** A key that expires amid its streams has them cut within so long. */
const EXPIRY_LOOK_MS = 1_000;

type Beside = { catalogueStore: CatalogueStore; running: Running; standby: StandbyGuard };

/** What a process remembers of keys and models, kept up to date. Resolves when all of it has been read once. */
export async function keepCurrent(parts: ProcessParts, { catalogueStore, running, standby }: Beside) {
  const { config, database, events, clock } = parts;
  const keyStore = createKeyStore(database);
  const issued = createIssuedDigests({ store: keyStore, onFailed: events.databaseLost });
  const authenticate = createAuthenticate({ store: keyStore, issued, clock, ...config.keys });
  const denials = createRateDenials(clock);
  const { catalogue, freshness, isLoaded } = startCatalogue(parts, catalogueStore);

  const cutStopped = createCutStopped({ running, findKey: keyStore.find, clock });
  const expiryLook = setInterval(() => void cutStopped.passed(), EXPIRY_LOOK_MS).unref();
  const changes = createHearChanges({
    keyChanged: (keyId) => {
      authenticate.forget(keyId);
      denials.forget(keyId);
      return cutStopped.changed(keyId);
    },
    secretsMade: issued.noticed,
    catalogueChanged: freshness.refresh,
    onGap: standby.doubt,
    onHearing: events.changesHeard,
  });
  const subscription = await database.listen(CHANGE_CHANNELS, changes);
  await Promise.all([
    freshness.refresh(),
    Promise.race([issued.settled(), sleep(ISSUED_WAIT_MS, null, { ref: false })]),
  ]);

  return {
    authenticate,
    denials,
    catalogue,
    isCatalogueLoaded: isLoaded,
    /** Whether changes are announced to this process. */
    hearsChanges: changes.hearing,
    stop: () => {
      freshness.close();
      changes.close();
      clearInterval(expiryLook);
    },
    unsubscribe: () => subscription.close(),
  };
}

function startCatalogue({ config, credentials, events, clock }: ProcessParts, store: CatalogueStore) {
  const catalogue = createCatalogue(clock);
  const watchCredentials = createWatchCredentials({ problem: credentials.problem, onChange: events.credentialChanged });
  let loaded = false;
  const freshness = keepFresh({
    catalogue,
    store,
    clock,
    pollMs: config.catalogue.pollMs,
    onLoaded: (models) => {
      loaded = true;
      events.catalogueLoaded({ models: models.length });
      watchCredentials(models.flatMap(({ routes }) => routes));
      events.databaseBack();
    },
    onFailed: events.databaseLost,
  });
  return { catalogue, freshness, isLoaded: () => loaded };
}
