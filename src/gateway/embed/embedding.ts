import type { EmbeddingModel } from "../../catalogue/model.ts";
import type { AnswerOutcome, Usage } from "../../core/money/usage.ts";
import type { EmbeddingsRequest } from "../../wire/embeddings/embeddings-request.ts";
import type { Fidelity } from "../../translate/fidelity/group-routes.ts";
import type { CallState } from "../generate/generation.ts";

/** A request for embeddings as it is asked for. `likely`: how many tokens its inputs probably have. */
export type Embedding = Omit<CallState["generation"], "request"> & {
  request: EmbeddingsRequest;
  likely: number;
  fidelity: Fidelity;
};

/** One that has been admitted, until its last byte. */
export type EmbeddingState = Omit<CallState, "generation" | "model"> & {
  readonly generation: Embedding;
  readonly model: EmbeddingModel;
};

/** How it ended. */
export type Embedded = {
  outcome: AnswerOutcome;
  usage: Usage;
  bytesOut: number;
  /** Spent on waiting for the provider once it had begun to answer. */
  relayMs: number;
  /** What the provider was not told, as the caller reads it; null when it was told all. */
  dropped: string | null;
  /** Present when it was the answer to an earlier request. */
  replay?: true;
};
