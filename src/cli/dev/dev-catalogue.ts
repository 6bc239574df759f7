import type { CatalogueFile } from "../../config/read/catalogue-file.ts";

/** Where the simulated provider's credential is found; `dev` sets it, whatever it is. */
export const SIMULATOR_VARIABLE = "SIMULATED_PROVIDER_KEY";

/** Published by every `dev`, and by nothing else. */
export const FIRST_MODEL = "sim-fast";

type ModelOrder = { id: string; name: string; tagline: string; upstream: string; input: bigint; output: bigint };

const DIALECTS = ["chat", "responses", "messages"] as const;
const NANO = 1_000_000_000n;

const MODELS: ModelOrder[] = [
  {
    id: FIRST_MODEL,
    name: "Simulated, fast",
    tagline: "Answers at once.",
    upstream: "sim-fast",
    input: NANO / 10n,
    output: NANO / 2n,
  },
  {
    id: "sim-steady",
    name: "Simulated, steady",
    tagline: "Streams twenty tokens a second, as a real model would.",
    upstream: "sim-steady+tokens=120+rate=20+ttft=300",
    input: NANO,
    output: 4n * NANO,
  },
  {
    id: "sim-tools",
    name: "Simulated, tools",
    tagline: "Answers every question with a tool call.",
    upstream: "sim-tools+tool=get_weather",
    input: NANO,
    output: 4n * NANO,
  },
];

/** What `dev` publishes: a few priced models of the simulated provider. */
export function devCatalogue(simulatorUrl: string): CatalogueFile {
  return {
    providers: [
      {
        name: "simulator",
        baseUrl: `${simulatorUrl}/v1`,
        credentialRef: `env:${SIMULATOR_VARIABLE}`,
        unknownMembers: "forward",
        openMembers: null,
        windowCheck: null,
        traceparent: null,
        platform: null,
      },
    ],
    models: MODELS.map(({ id, name, tagline, upstream, input, output }) => ({
      id,
      ownedBy: "simulator",
      provider: "simulator",
      displayName: name,
      tagline,
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      outputCeiling: null,
      outputFloor: 1_024,
      tokenFactor: 1,
      capabilities: { streaming: true, tools: true },
      price: {
        effectiveFromMs: null,
        inputNano: input,
        outputNano: output,
        cacheReadNano: input / 10n,
        cacheWrite5mNano: (input * 5n) / 4n,
        cacheWrite1hNano: input * 2n,
        toolCallNano: {},
      },
      upcomingPrices: [],
      // The simulated provider speaks every format, so each caller's own is met without translation.
      routes: DIALECTS.map((dialect) => ({
        provider: "simulator",
        upstreamModel: upstream,
        dialect,
        // Normalised, so that answers carry the public name and not the script behind it.
        conformant: false,
        priority: 0,
        weight: 1,
        connectTimeoutMs: 5_000,
        firstByteTimeoutMs: 60_000,
        idleTimeoutMs: 60_000,
        concurrencyLimit: null,
      })),
    })),
  };
}
