import type { Tariff } from "../money/price.ts";

/** What a price list can say of a model. */
export type ListedFacts = {
  contextWindow: number | null;
  maxOutputTokens: number | null;
  /** Whether it reasons; null: not said. */
  reasoning: boolean | null;
  tariff: Tariff | null;
};

/** What an import makes of a model. `foreign`: another provider's model, or one of another kind, has that name here, and it is left alone. */
export type ImportedModel = {
  id: string;
  change: "new" | "changed" | "unchanged" | "foreign";
  before: ListedFacts | null;
  after: ListedFacts;
};
