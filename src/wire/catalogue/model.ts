/** What a model is called, whose it is and what it takes and gives, by its fields in the catalogue file. */
export const MODEL_NAMES = {
  ownedBy: "owned_by",
  displayName: "display_name",
  contextWindow: "context_window",
  maxOutputTokens: "max_output_tokens",
  outputCeiling: "output_ceiling",
  outputFloor: "output_floor",
  tokenFactor: "token_factor",
} as const;
