import { isObject } from "../../core/bytes/is-object.ts";
import type { Dialect, JsonObject } from "../dialect.ts";
import { invalid, Refusal } from "./refusal.ts";

/** Refuses what providers refuse of a request for a model that does not reason: to be asked to, and thoughts it never had. */
export function checkReasoning(dialect: Dialect["name"], body: JsonObject): void {
  const unsupported = UNSUPPORTED[dialect](body);
  if (unsupported === "include") throw invalid("Encrypted content is not supported with this model.", "include");
  if (unsupported !== null) throw notSupported(unsupported);
}

/** The first field that such a model does not know; null: none. */
const UNSUPPORTED: Record<Dialect["name"], (body: JsonObject) => string | null> = {
  chat: (body) => (isSaid(body["reasoning_effort"]) ? "reasoning_effort" : null),
  responses: ({ reasoning, include, input }) => {
    const member = isObject(reasoning) ? Object.keys(reasoning).find((name) => isSaid(reasoning[name])) : undefined;
    if (member !== undefined) return `reasoning.${member}`;
    if (Array.isArray(include) && include.includes("reasoning.encrypted_content")) return "include";
    const items: unknown[] = Array.isArray(input) ? input : [];
    return items.some((item) => isObject(item) && item["type"] === "reasoning") ? "input" : null;
  },
  messages: ({ thinking, output_config: output }) => {
    if (isObject(thinking) && thinking["type"] !== "disabled") return "thinking";
    return isObject(output) && isSaid(output["effort"]) ? "output_config.effort" : null;
  },
  converse: ({ additionalModelRequestFields: fields, messages }) => {
    const turns: unknown[] = Array.isArray(messages) ? messages : [];
    const thought = turns.some((turn) => isObject(turn) && holdsThought(turn["content"]));
    if (thought) return "messages";
    return isObject(fields) && Object.keys(fields).length > 0 ? "additionalModelRequestFields" : null;
  },
  gemini: ({ generationConfig: config }) =>
    isObject(config) && isSaid(config["thinkingConfig"]) ? "generation_config.thinking_config" : null,
};

const holdsThought = (content: unknown): boolean =>
  Array.isArray(content) && content.some((block) => isObject(block) && block["reasoningContent"] !== undefined);

const isSaid = (value: unknown): boolean => value !== undefined && value !== null;

const notSupported = (param: string): Refusal =>
  new Refusal(400, `Unsupported parameter: '${param}' is not supported with this model.`, {
    code: "unsupported_parameter",
    param,
  });
