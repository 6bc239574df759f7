import type { Attempt, Lane, ModelTraits } from "./attempt.ts";
import { FORMATS, type Format } from "./formats.ts";
import { NEIGHBOUR_MODEL, type StageModel } from "./stage.ts";

const QUICK: ModelTraits = { habit: { tokens: 3, rate: 0 } };

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");

/** A model of its own for each lane, so that what the provider did for it is known. */
export const modelIdOf = (attempt: Attempt, { caller, provider, unit }: Lane): string =>
  `${slug(attempt.name)}.${caller}.${provider}.${unit}`;

export const probeModelOf = (attempt: Attempt, provider: Format): string => `${slug(attempt.name)}.${provider}`;

export function modelsOf(attempts: readonly Attempt[]): StageModel[] {
  return [
    describe(NEIGHBOUR_MODEL, ["chat"], { habit: { tokens: 20, rate: 0 } }),
    ...attempts.flatMap((attempt): StageModel[] => {
      switch (attempt.kind) {
        case "price":
          return attempt.lanes.map((lane) => describe(modelIdOf(attempt, lane), [lane.provider], attempt.model));
        case "smuggle":
          return attempt.providers.map((provider) => describe(probeModelOf(attempt, provider), [provider], QUICK));
        case "lockout":
          return [describe(slug(attempt.name), attempt.model?.dialects ?? FORMATS, attempt.model ?? QUICK)];
      }
      return attempt satisfies never;
    }),
  ];
}

export const lockoutModelOf = (attempt: Attempt): string => slug(attempt.name);

const describe = (id: string, dialects: readonly Format[], traits: ModelTraits): StageModel => ({
  id,
  dialects,
  habit: traits.habit,
  contextWindow: traits.contextWindow ?? 1_000_000,
  maxOutputTokens: traits.maxOutputTokens ?? 32_000,
  capabilities: traits.capabilities ?? {},
  conformant: traits.conformant ?? true,
});
