import type { JsonObject, Named } from "../dialect.ts";
import { MODELS } from "../ask/model-list.ts";

/** One model when it is named, else all of them. */
export function listGeminiModels(named?: Named): string {
  if (named !== undefined) return JSON.stringify(modelOf(named.model));
  return JSON.stringify({ models: MODELS.map((model) => modelOf(model)) });
}

const modelOf = (model: string): JsonObject => ({
  name: `models/${model}`,
  version: "001",
  displayName: model,
  description: "A model of the simulator.",
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ["generateContent", "countTokens"],
  temperature: 1,
  topP: 0.95,
  topK: 64,
  maxTemperature: 2,
});
