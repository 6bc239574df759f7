import type { Json } from "../../core/bytes/json.ts";
import type { Effort, RequestForm } from "../form/request-form.ts";

/** Models that think by a budget of tokens. Those before them do not think, and all later ones think by a level. */
const BY_BUDGET = /gemini-2\.5\b/;
const BEFORE_LEVELS = /gemini-[12](?:\.\d+)?(?!\d)/;

/** Large models cannot be told not to think, and the first of them that thinks by a level knows two. */
const LARGE = /gemini-[\d.]+-pro/;
const TWO_LEVELS = /gemini-3-pro/;

/** Whether calls go back with the signature of what was thought before them, or are refused. */
export const wantsSignatures = (model: string): boolean => !BEFORE_LEVELS.test(model);

/** Whether a model that is told not to think thinks all the same, if as little as it can. */
export const thinksUnasked = (model: string): boolean => LARGE.test(model) || !BEFORE_LEVELS.test(model);

/** Whether a model that is offered tools can be held to a schema as well. */
export const holdsBesideTools = (model: string): boolean => !BEFORE_LEVELS.test(model);

type Level = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";

const LEVELS: Record<Effort, Level> = {
  none: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** The same budgets that Google takes for these words where it speaks chat completions. */
const BUDGETS: Record<Effort, number> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** What is thought counts towards the limit of output, which must do for the answer too. */
const MOST_SHARE = 0.8;
/** No model that thinks by a budget takes a smaller one that is not zero. */
const LEAST_BUDGET_TOKENS = 512;

type Told = { model: string; maxOutputTokens: number | null };

/** What a provider is told of thinking; null: nothing. Without an effort a model thinks as much as it finds fit. */
export function thinkingFor({ thinking }: RequestForm, told: Told): Json | null {
  if (thinking === null) return null;
  const { effort, shown } = thinking;
  return {
    ...(effort === null ? {} : amountOf(effort, told)),
    ...(shown && effort !== "none" ? { includeThoughts: true } : {}),
  };
}

function amountOf(effort: Effort, { model, maxOutputTokens }: Told): Json {
  if (!BY_BUDGET.test(model)) return { thinkingLevel: levelOf(effort, model) };
  const room = Math.floor((maxOutputTokens ?? Number.POSITIVE_INFINITY) * MOST_SHARE);
  const budget = Math.max(LEAST_BUDGET_TOKENS, Math.min(BUDGETS[effort], room));
  return { thinkingBudget: effort === "none" && !LARGE.test(model) ? 0 : budget };
}

function levelOf(effort: Effort, model: string): Level {
  const level = LEVELS[effort];
  if (level === "MINIMAL" && LARGE.test(model)) return "LOW";
  return level === "MEDIUM" && TWO_LEVELS.test(model) ? "HIGH" : level;
}
