import type { Json } from "../../../core/bytes/json.ts";
import type { ProviderDialect } from "../../../core/request/dialect.ts";
import type { Effort, RequestForm, ThinkingForm } from "../request-form.ts";

/** Models that think by a budget of tokens and know neither adaptive thinking nor efforts. All later ones know both. */
const BY_BUDGET = /claude-(?:3[-.]7-sonnet|(?:opus|sonnet|haiku)-4(?:[-.][0-5])?)(?=$|[-@:]\D|[-@]20\d{6})/;

/** Models that choose their words by themselves, and refuse a request that says how. */
const WITHOUT_SAMPLING = /claude-(?:opus-4[-.][7-9]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])(?!\d)/;

/** Models that think unless they are told not to, and those among them that cannot be. */
const UNASKED = /claude-(?:opus|sonnet|haiku|fable|mythos)-[5-9](?!\d)/;

export const thinksUnasked = (model: string): boolean => UNASKED.test(model);

/** Whether a model takes a temperature and its like. */
export const takesSampling = (model: string): boolean => !WITHOUT_SAMPLING.test(model);

const EFFORTS: Record<Effort, { name: string; budgetTokens: number } | null> = {
  none: null,
  minimal: { name: "low", budgetTokens: 1_024 },
  low: { name: "low", budgetTokens: 1_024 },
  medium: { name: "medium", budgetTokens: 4_096 },
  high: { name: "high", budgetTokens: 16_384 },
  xhigh: { name: "xhigh", budgetTokens: 32_768 },
  max: { name: "max", budgetTokens: 65_536 },
};

const LEAST_EFFORT = "low";

/** A smaller budget is refused, and so is one that is not below the limit of output, which must do for the answer too. */
const LEAST_BUDGET_TOKENS = 1_024;
const MOST_SHARE = 0.8;

/** `dialect`: what its provider speaks, and so what the thinking of before was told in. */
type Told = { model: string; maxTokens: number; dialect: ProviderDialect };

/** What a model is told of thinking; null: nothing. */
export function thinkingFor(form: RequestForm, told: Told): { thinking: Json | null; effort: string | null } {
  const asked = form.thinking;
  if (asked === null) return { thinking: null, effort: null };
  if (asked.effort === "none") return { thinking: null, effort: thinksUnasked(told.model) ? LEAST_EFFORT : null };
  const effort = asked.effort === null ? null : EFFORTS[asked.effort];
  const byBudget = thinksByBudget(told.model);
  const name = byBudget ? null : (effort?.name ?? null);
  if (forcesCall(form)) return { thinking: null, effort: name };
  if (!byBudget) return { thinking: { type: "adaptive", ...displayOf(asked) }, effort: name };
  const wanted = effort?.budgetTokens ?? EFFORTS.medium?.budgetTokens ?? LEAST_BUDGET_TOKENS;
  const budget = Math.min(wanted, Math.floor(told.maxTokens * MOST_SHARE));
  if (isBeyondBudgets(form, told)) return { thinking: null, effort: null };
  return { thinking: { type: "enabled", budget_tokens: budget, ...displayOf(asked) }, effort: null };
}

export const thinksByBudget = (model: string): boolean => BY_BUDGET.test(model);

/** Whether a model that thinks by a budget must answer without: no budget fits, or it would refuse what came before. */
export function isBeyondBudgets(form: RequestForm, { maxTokens, dialect }: Omit<Told, "model">): boolean {
  return Math.floor(maxTokens * MOST_SHARE) < LEAST_BUDGET_TOKENS || callsWithoutThought(form, dialect);
}

/** The newest models think in silence unless asked to show it. */
const displayOf = ({ shown }: ThinkingForm): Json => (shown ? { display: "summarized" } : {});

/** A model that must call a tool cannot think first; a provider that is told both refuses. */
function forcesCall({ toolChoice, tools }: RequestForm): boolean {
  return tools.length > 0 && (toolChoice?.kind === "required" || toolChoice?.kind === "tool");
}

/** With a budget, results are taken only of calls that were thought about at this provider. */
function callsWithoutThought({ turns }: RequestForm, dialect: ProviderDialect): boolean {
  const blocks = turns.findLast(({ role }) => role === "assistant")?.blocks ?? [];
  const thought = blocks.some((block) => block.kind === "thinking" && block.native?.dialect === dialect);
  return blocks.some(({ kind }) => kind === "tool_call") && !thought;
}
