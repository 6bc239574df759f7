import type { Usage } from "../../core/money/usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { AnswerStage } from "../answer-stage.ts";
import type { SameFormat } from "../translator.ts";

type Asked = Pick<GenerationRequest, "providerTools" | "choices">;

/**
 * Chat completions do not say what was searched: a model that is asked to search does so once before it answers, and each answer that was
 * begun is billed as one search.
 */
export const searching = (format: SameFormat): SameFormat => ({
  ...format,
  plain: (bytes, request) => {
    const answer = format.plain(bytes, request);
    return searches(request) ? { ...answer, usage: counted(answer.usage, request) } : answer;
  },
  stage: (request) => {
    const stage = format.stage(request);
    return searches(request) ? withSearches(stage, request) : stage;
  },
});

const searches = ({ providerTools = [] }: Asked): boolean => providerTools.length > 0;

function counted(usage: Usage | null, { choices }: Asked): Usage | null {
  return usage === null ? null : { ...usage, toolCalls: { ...usage.toolCalls, web_search: choices } };
}

const withSearches = (stage: AnswerStage, request: Asked): AnswerStage => ({
  ...stage,
  usage: () => counted(stage.usage(), request),
  providerRuns: () => ({
    toolCalls: stage.delivered.length === 0 ? {} : { web_search: request.choices },
    inputTokens: 0,
    running: false,
  }),
});
