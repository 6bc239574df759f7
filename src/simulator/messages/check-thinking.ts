import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";

const LEAST_BUDGET_TOKENS = 1024;

/** Refuses what providers of messages refuse beside thinking: other sampling, a forced call, a budget that leaves no room. */
export function checkThinking(body: JsonObject): void {
  const { thinking, temperature, top_k: topK, tool_choice: choice, max_tokens: limit } = body;
  const type = isObject(thinking) ? thinking["type"] : undefined;
  if (type !== "enabled" && type !== "adaptive") return;
  if (temperature !== undefined && temperature !== 1)
    throw invalid("`temperature` may only be set to 1 when thinking is enabled.");
  if (topK !== undefined) throw invalid("`top_k` must be unset when thinking is enabled.");
  const forced = isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool");
  if (forced) throw invalid("Thinking may not be enabled when tool_choice forces tool use.");
  if (type === "adaptive") return;
  checkBudget(isObject(thinking) ? thinking["budget_tokens"] : undefined, Number(limit));
  checkLastCall(body["messages"]);
}

/** Who thinks by a budget has thought before calling, and shows it. */
function checkLastCall(messages: unknown): void {
  const turns: unknown[] = Array.isArray(messages) ? messages : [];
  const last = turns.findLast((turn) => isObject(turn) && turn["role"] === "assistant");
  const content: unknown = isObject(last) ? last["content"] : null;
  const types = Array.isArray(content) ? content.map((block: unknown) => (isObject(block) ? block["type"] : null)) : [];
  if (!types.includes("tool_use") || types[0] === "thinking" || types[0] === "redacted_thinking") return;
  throw invalid(`Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(types[0])}\`.`);
}

function checkBudget(budget: unknown, limitTokens: number): void {
  if (typeof budget !== "number" || budget < LEAST_BUDGET_TOKENS)
    throw invalid(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${LEAST_BUDGET_TOKENS}`);
  if (budget >= limitTokens) throw invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
}
