import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { ProviderDialect } from "../../core/request/dialect.ts";
import { type Simulator, startSimulator } from "../../simulator/simulator.ts";
import { certifyProvider } from "./certify-provider.ts";
import { planCertification } from "./plan-certification.ts";

const { config } = loadConfig({ options: {}, environment: {} });
const PRICE = { inputNano: 1_000_000_000n, outputNano: 5_000_000_000n, toolCallNano: {} };

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

/** What Azure's late filter says breaks two rules, so that its streams are normalised. */
test.each<[platform: string, path: string, dialect: ProviderDialect, brokenRules: number]>([
  ["bedrock", "", "messages", 0],
  ["bedrock", "", "converse", 0],
  ["vertex", "/v1/projects/acme/locations/eu", "messages", 0],
  ["azure:2024-10-21", "/openai", "chat", 2],
])("a provider of %s is certified as it is called: %s: %s", async (platform, path, dialect, brokenRules) => {
  const name = `cloud-${dialect}-${platform.slice(0, 5)}`;
  const upstreamModel = "sim+tokens=9+input=20";
  const terms = {
    id: name,
    ownedBy: name,
    provider: name,
    displayName: null,
    tagline: null,
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    outputCeiling: null,
    outputFloor: 1_024,
    tokenFactor: 1,
    capabilities: {},
    price: { ...PRICE, cacheReadNano: null, cacheWrite5mNano: null, cacheWrite1hNano: null },
  };
  const route = {
    provider: name,
    upstreamModel,
    dialect,
    conformant: false,
    priority: 0,
    weight: 1,
    connectTimeoutMs: 5_000,
    firstByteTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    concurrencyLimit: null,
  };
  const { plan, termsOf } = planCertification([{ model: terms, route }], { hasCredential: true });
  const subjects = plan.subjects.map(({ subject, trials }) => ({
    subject,
    trials: trials.filter(({ id }) => id === "stream"),
  }));
  const { certificate } = await certifyProvider({
    provider: {
      name,
      baseUrl: `${simulator.url}${path}`,
      platform,
      unknownMembers: null,
      openMembers: null,
      credential: "sk-live-Zq83hfKd02mVnXp5LtRw7yBc",
    },
    plan: { ...plan, subjects },
    termsOf,
    spendNano: 500_000_000n,
    timeoutMs: 10_000,
    config,
    database: await emptyDatabase(),
    version: "0.0.0",
    onTrial: () => undefined,
  });

  const [subject] = certificate.subjects;
  expect(subject?.trials.find(({ id }) => id === "stream")?.reasons).toHaveLength(brokenRules);
  expect(subject?.figures).toMatchObject([{ inputReported: 20, outputReported: 9 }]);
});
