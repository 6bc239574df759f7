import type { Json } from "../../core/bytes/json.ts";
import { thinkingFor, thinksByBudget } from "../form/claude/thinking.ts";
import { said } from "../form/read-json.ts";
import type { Effort, RequestForm } from "../form/request-form.ts";
import { isClaude, isOpenAi, isReasoningNova } from "./models.ts";

type Level = "low" | "medium" | "high";

const LEVELS: Record<Effort, Level> = {
  none: "low",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** Whether a model can be told how much to think; the others think, or not, as they find fit. */
export const takesEffort = (model: string): boolean => isClaude(model) || isOpenAi(model) || isReasoningNova(model);

type Told = { model: string; maxTokens: number };

/** What a model is told of thinking in its own words; null: nothing. The budget is within the limit of output, never beside it. */
export function modelFieldsOf(form: RequestForm, { model, maxTokens }: Told): Json | null {
  if (isClaude(model)) {
    const { thinking, effort } = thinkingFor(form, { model, maxTokens, dialect: "converse" });
    const fields = said({ thinking: forBedrock(thinking, model), output_config: effort === null ? null : { effort } });
    return Object.keys(fields).length === 0 ? null : fields;
  }
  const effort = form.thinking?.effort ?? null;
  if (effort === null) return null;
  if (isOpenAi(model)) return { reasoning_effort: LEVELS[effort] };
  return isReasoningNova(model) ? { reasoningConfig: forNova(effort) } : null;
}

/** Models that think by a budget show their thoughts anyway, and Amazon's schema of them knows nothing of how to ask for that. */
function forBedrock(thinking: Json | null, model: string): Json | null {
  if (thinking === null || !thinksByBudget(model)) return thinking;
  const { display: _display, ...rest } = thinking;
  return rest;
}

/** At the highest level Nova takes no limit of output, without which no request is sent. */
const forNova = (effort: Effort): Json =>
  effort === "none"
    ? { type: "disabled" }
    : { type: "enabled", maxReasoningEffort: LEVELS[effort] === "low" ? "low" : "medium" };
