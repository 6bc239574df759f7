import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { readStop } from "../ask/read-field.ts";
import { invalid } from "../ask/refusal.ts";

const MEMBERS = [
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "outputConfig",
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
];
const CONFIG = ["maxTokens", "temperature", "topP", "stopSequences"];
const FIELDS = ["thinking", "output_config", "reasoning_effort", "reasoningConfig", "top_k", "anthropic_beta"];
const LEAST_BUDGET_TOKENS = 1_024;

/** Refuses names that nobody reads, settings out of bounds, and what does not go together. */
export function checkConfig(body: JsonObject, config: JsonObject): void {
  onlyOf(body, MEMBERS, "");
  onlyOf(config, CONFIG, "inferenceConfig.");
  for (const name of ["temperature", "topP"] as const) {
    const value = config[name];
    if (value !== undefined && !(typeof value === "number" && value >= 0 && value <= 1))
      throw invalid(
        `Value at 'inferenceConfig.${name}' failed to satisfy constraint: Member must have value less than or equal to 1`,
        "inferenceConfig",
      );
  }
  if (readStop(config, "stopSequences").some((sequence) => !/\S/.test(sequence)))
    throw invalid("stop_sequences: each stop sequence must contain non-whitespace", "inferenceConfig");
  const fields = objectAt(body, "additionalModelRequestFields");
  onlyOf(fields, FIELDS, "additionalModelRequestFields.");
  checkThinking(objectAt(fields, "thinking"), config, body);
}

function checkThinking({ type, budget_tokens: budget }: JsonObject, config: JsonObject, body: JsonObject): void {
  if (type !== "enabled" && type !== "adaptive") return;
  if (config["temperature"] !== undefined || config["topP"] !== undefined)
    throw invalid("`temperature` may only be set to 1 when thinking is enabled.");
  const choice = objectAt(objectAt(body, "toolConfig"), "toolChoice");
  if (choice["any"] !== undefined || choice["tool"] !== undefined)
    throw invalid("Thinking may not be enabled when tool_choice forces tool use.");
  if (type === "adaptive") return;
  if (typeof budget !== "number" || budget < LEAST_BUDGET_TOKENS)
    throw invalid(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${LEAST_BUDGET_TOKENS}`);
  if (budget >= Number(config["maxTokens"]))
    throw invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
}

function onlyOf(object: JsonObject, names: readonly string[], at: string): void {
  const unknown = Object.keys(object).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw invalid(
      `#: extraneous key [${at}${unknown.slice(0, 64)}] is not permitted, please reformat your input and try again.`,
      unknown,
    );
}

export const objectAt = (body: JsonObject, field: string): JsonObject => {
  const value = body[field];
  return isObject(value) ? value : {};
};
