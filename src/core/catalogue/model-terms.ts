/** What a model is called, whose it is and what it takes and gives; without price and routes. */
export type ModelTerms = {
  id: string;
  ownedBy: string;
  provider: string;
  displayName: string | null;
  tagline: string | null;
  contextWindow: number | null;
  maxOutputTokens: number | null;
  /** The operator's own limit of output, where none is published. A model with neither is not routable. */
  outputCeiling: number | null;
  /** What an answer without a limit of its own must at least be able to grow to, in tokens. */
  outputFloor: number;
  /** How many tokens this model's tokenizer makes of a text for each one that is estimated. */
  tokenFactor: number;
  capabilities: Record<string, unknown>;
};
