import type { ModelTerms } from "../../core/model-terms.ts";

/** What a model is called, whose it is and what it takes and gives, in the words of the catalogue file. */
export type ModelView = {
  id: string;
  owned_by: string;
  provider: string;
  display_name: string | null;
  tagline: string | null;
  context_window: number | null;
  max_output_tokens: number | null;
  output_ceiling: number | null;
  output_floor: number;
  token_factor: number;
  capabilities: Record<string, unknown>;
};

export const modelView = (model: ModelTerms): ModelView => ({
  id: model.id,
  owned_by: model.ownedBy,
  provider: model.provider,
  display_name: model.displayName,
  tagline: model.tagline,
  context_window: model.contextWindow,
  max_output_tokens: model.maxOutputTokens,
  output_ceiling: model.outputCeiling,
  output_floor: model.outputFloor,
  token_factor: model.tokenFactor,
  capabilities: model.capabilities,
});

export const modelOf = (view: ModelView): ModelTerms => ({
  id: view.id,
  ownedBy: view.owned_by,
  provider: view.provider,
  displayName: view.display_name,
  tagline: view.tagline,
  contextWindow: view.context_window,
  maxOutputTokens: view.max_output_tokens,
  outputCeiling: view.output_ceiling,
  outputFloor: view.output_floor,
  tokenFactor: view.token_factor,
  capabilities: view.capabilities,
});
