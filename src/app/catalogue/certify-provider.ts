import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { startGateway } from "../../app.ts";
import { createCallGateway } from "../../certify/call-gateway.ts";
import type { Certificate, SubjectReport, TrialReport } from "../../certify/certificate.ts";
import { createTap } from "../../certify/exchange.ts";
import { type Draft, type DraftLeak, findLeaks, type Hidden } from "../../certify/recording/find-leaks.ts";
import { invariant } from "../../core/invariant.ts";
import { createMaskSecrets, type MaskSecrets } from "../../certify/recording/mask-secrets.ts";
import type { Plan } from "../../certify/plan.ts";
import { accountIds, type Recorded, recordingDrafts } from "../../certify/recording/recordings.ts";
import { type RunParts, runTrials, trialModel } from "../../certify/run-trials.ts";
import { createSpendGuard } from "../../certify/spend-guard.ts";
import type { Subject, Target } from "../../certify/trial.ts";
import type { CatalogueDescription, DescribedModel } from "../../catalogue/model.ts";
import type { Config } from "../../config/load-config.ts";
import type { CallCredential } from "../../core/catalogue/call-credential.ts";
import { systemClock } from "../../core/clock.ts";
import type { MemberTerms } from "../../core/request/member-policy.ts";
import type { ModelTerms } from "../../core/catalogue/model-terms.ts";
import type { RouteTerms } from "../../core/catalogue/route-terms.ts";
import type { Database } from "../../db/database.ts";
import type { Operator } from "../../operator/operator.ts";
import { createEvents } from "../../telemetry/events.ts";
import { createLogger } from "../../telemetry/log/logger.ts";
import { createMetrics } from "../../telemetry/metrics/metrics.ts";
import { loadCountTokens } from "../../tokens/count-tokens.ts";
import { examineStream } from "../../upstream/probe/examine-stream.ts";
import { COMPATIBLE_PROVIDERS, hostIn } from "../../upstream/providers.ts";
import { createOperator } from "../create-operator.ts";
import { overhearUnframed } from "./overhear-unframed.ts";
import { openProviderCredentials } from "./provider-credentials.ts";
import { watchSigner } from "./watch-signer.ts";

export type CertifyOrder = {
  provider: Required<MemberTerms> & {
    name: string;
    baseUrl: string;
    platform?: string | null;
    credential: CallCredential;
  };
  plan: Plan;
  /** What each subject's model and route are in the operator's catalogue. */
  termsOf: (subject: Subject) => { model: ModelTerms; route: RouteTerms };
  spendNano: bigint;
  timeoutMs: number;
  config: Config;
  /** Migrated and empty; it is closed at the end. */
  database: Database;
  version: string;
  onTrial: (subject: Subject, report: TrialReport) => void;
};

export type Certified = {
  certificate: Certificate;
  recordings: readonly Draft[];
  mask: MaskSecrets;
  /** What of the account or its secrets stands in some files. */
  leaksIn: (drafts: readonly Draft[]) => DraftLeak[];
};

const BY = { actor: "certify" };
const WRONG_PROVIDER = "wrong-credential";
const CREDENTIAL_VARIABLE = "CERTIFIED_PROVIDER_CREDENTIAL";
const WRONG_VARIABLE = "CERTIFIED_PROVIDER_WRONG_CREDENTIAL";

/**
 * Puts a provider to its trials through a gateway of this process, on a database in memory. Its one key is funded with what may be
 * spent, so that the ledger bounds the run as it bounds any client.
 */
export async function certifyProvider(order: CertifyOrder): Promise<Certified> {
  const { provider, plan, spendNano } = order;
  const startedMs = systemClock.elapsedMs();
  const wrong = `wrong-${randomBytes(18).toString("base64url")}`;
  const tap = createTap();
  const guard = createSpendGuard(spendNano);
  const hidden: Hidden[] = [{ what: "a credential", text: wrong }];
  const hide = (text: string): unknown => hidden.push({ what: "a credential", text });
  const { gateway, operator, key, secret } = await openGateway(order, { wrong, hide, overhear: tap.overhear });
  hide(secret);
  const recorded: Recorded[] = [];
  const subjects: SubjectReport[] = [];
  let stopped: string | null = null;
  try {
    const parts: RunParts = {
      call: createCallGateway({ fetch, url: gateway.publicUrl, secret, elapsedMs: systemClock.elapsedMs }),
      tap,
      guard,
      readCharge: createReadCharge(operator, key),
      examine: examineStream,
      count: await loadCountTokens(),
      leakIn: (text) => findLeaks([{ path: "", text }], hidden)[0]?.how ?? null,
      timeoutMs: order.timeoutMs,
      sleep: (ms) => sleep(ms),
      onTrial: order.onTrial,
      record: (one) => recorded.push(one),
    };
    for (const { subject, trials } of plan.subjects) {
      const run = await runTrials(parts, subject, trials, stopped);
      subjects.push(run.report);
      stopped ??= run.stopped;
    }
  } finally {
    await gateway.stop();
  }
  const mask = createMaskSecrets(hidden.map(({ text }) => text));
  const ids: Hidden[] = accountIds(recorded).map((text) => ({ what: "an id of the account or a request", text }));
  const charges = subjects.flatMap(({ trials }) => trials.map(({ chargedNano }) => chargedNano));
  return {
    certificate: {
      provider: provider.name,
      host: publicHostOf(provider.baseUrl),
      version: order.version,
      atMs: systemClock.nowMs(),
      tookMs: systemClock.elapsedMs() - startedMs,
      spendNano,
      boundNano: plan.boundNano,
      chargedNano: charges.reduce((sum, charge) => sum + charge, 0n),
      billedAtMostNano: guard.billedAtMostNano(),
      stopped,
      subjects,
    },
    recordings: recordingDrafts(provider.name, recorded, mask),
    mask,
    leaksIn: (drafts) => findLeaks(drafts, [...hidden, ...ids]),
  };
}

type Beside = {
  wrong: string;
  hide: (secret: string) => unknown;
  overhear: ReturnType<typeof createTap>["overhear"];
};

async function openGateway(order: CertifyOrder, { wrong, hide, overhear }: Beside) {
  const { config, provider, spendNano, database } = order;
  const clock = systemClock;
  const settings: Config = {
    ...config,
    publicUrl: null,
    listen: { ...config.listen, host: "127.0.0.1", port: 0, trustedProxies: "" },
    admin: { ...config.admin, host: "127.0.0.1", port: 0 },
  };
  const credentials = credentialsOf(provider, { wrong, hide });
  const metrics = createMetrics();
  const logger = createLogger({ level: "error", clock, destination: { write: () => undefined } });
  const events = createEvents({ logger, metrics, openTrace: () => null, clock });
  const operator = createOperator({ database, credentials, events, clock, acceptForeign: "off" });
  await operator.catalogue.apply(catalogueOf(order), BY);
  const { key, secret } = await operator.keys.create(
    {
      mode: "credit",
      label: "certify",
      providerScope: "all",
      models: null,
      tiers: null,
      regions: null,
      rpmLimit: null,
      expiresAtMs: null,
      credit: spendNano,
      budget: null,
      period: null,
      existing: null,
    },
    BY,
  );
  invariant(secret !== null, "a key that keeps no secret is given one");
  const gateway = await startGateway({
    config: settings,
    adminToken: randomBytes(24).toString("base64url"),
    database,
    credentials,
    events,
    metrics,
    exposeTotals: () => Promise.resolve({ contentType: "text/plain", text: "" }),
    overhear: overhearUnframed(overhear),
  });
  return { gateway, operator, key: key.id, secret };
}

/** As the catalogue of the trials refers to them. Calls with an identity in a cloud are signed as the gateway's own are. */
function credentialsOf({ name, credential }: CertifyOrder["provider"], { wrong, hide }: Omit<Beside, "overhear">) {
  const isSecret = typeof credential === "string";
  if (isSecret) hide(credential);
  const environment = { [CREDENTIAL_VARIABLE]: isSecret ? credential : "an identity", [WRONG_VARIABLE]: wrong };
  const found = openProviderCredentials(
    { key: null, previousKey: null, directories: "", allowedReferences: "" },
    environment,
  );
  if (credential === null || isSecret) return found;
  const signer = watchSigner(credential, hide);
  const own: typeof found.credential = (holder) => (holder.provider === name ? signer : found.credential(holder));
  return { ...found, credential: own };
}

/** A model for every trial, each with one route: to the model, to none, or with a credential that is not one. */
function catalogueOf({ provider, plan, termsOf, timeoutMs }: CertifyOrder): CatalogueDescription {
  const { name, baseUrl, unknownMembers, openMembers, platform = null } = provider;
  const members = { baseUrl, unknownMembers, openMembers, platform };
  const reference = provider.credential === null ? "none" : `env:${CREDENTIAL_VARIABLE}`;
  return {
    providers: [
      { name, credentialRef: reference, ...members },
      { name: WRONG_PROVIDER, credentialRef: `env:${WRONG_VARIABLE}`, ...members },
    ],
    models: plan.subjects.flatMap(({ subject, trials }) =>
      trials.map((trial): DescribedModel => {
        const { model, route } = termsOf(subject);
        const target = targetOf(trial.target, { provider: name, upstreamModel: subject.upstreamModel });
        const within = (ms: number): number => Math.min(ms, timeoutMs);
        return {
          ...model,
          id: trialModel(subject, trial),
          provider: target.provider,
          price: { ...subject.tariff, effectiveFromMs: null },
          upcomingPrices: [],
          routes: [
            {
              ...route,
              ...target,
              concurrencyLimit: null,
              firstByteTimeoutMs: within(route.firstByteTimeoutMs),
              idleTimeoutMs: within(route.idleTimeoutMs),
            },
          ],
        };
      }),
    ),
  };
}

type Place = Pick<RouteTerms, "provider" | "upstreamModel">;

function targetOf(target: Target, place: Place): Place {
  switch (target) {
    case "model":
      return place;
    case "unknown_model":
      return { ...place, upstreamModel: "tollgate-certify-no-such-model" };
    case "wrong_credential":
      return { ...place, provider: WRONG_PROVIDER };
    default:
      return target satisfies never;
  }
}

const JOURNAL_LINES = 5;
const SETTLED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** What the ledger charged for a request. One whose client left settles a moment later. */
const createReadCharge =
  ({ books }: Operator, key: string): RunParts["readCharge"] =>
  async (requestId, how) => {
    for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
      const { data } = await books.journal({ kind: "key", name: key }, { limit: JOURNAL_LINES, after: null });
      const line = data.find((entry) => entry.requestId === requestId);
      if (line)
        return {
          nano: -(line.credits ?? 0n),
          inputTokens: line.inputTokens ?? 0,
          outputTokens: line.outputTokens ?? 0,
        };
      if (how === "now" || waitedMs >= SETTLED_WITHIN_MS) return null;
      await sleep(LOOK_EVERY_MS);
    }
  };

/** The part of an address that everybody knows; null for one of the operator's own. */
function publicHostOf(baseUrl: string): string | null {
  const hosts = COMPATIBLE_PROVIDERS.flatMap((provider) => provider.hosts);
  return hosts.find(hostIn(baseUrl)) ?? null;
}
