import type { Payer } from "../core/money/payer.ts";
import type { MemberPolicy } from "../core/request/member-policy.ts";
import type { ModelFacts } from "../translate/fidelity/field-row.ts";
import type { Fidelity, RouteGroups } from "../translate/fidelity/group-routes.ts";
import type { AskedEmbeddings, EmbeddingsAnswer } from "../translate/embeddings/read-embeddings.ts";
import type { PlainAnswer } from "../translate/answer-stage.ts";
import type { AnswerOrigin, Told } from "../translate/translator.ts";
import type { InputEstimate } from "../core/request/input-estimate.ts";
import type { GenerationRoute } from "../core/catalogue/route.ts";
import type { Soon } from "../core/soon.ts";
import type { Vocabulary } from "../core/request/vocabulary.ts";
import type { EmbeddingsRequest } from "../wire/embeddings/embeddings-request.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import type { CountTokensRequest, CountTold } from "../wire/messages/count-request.ts";

type ReadByModel = Pick<GenerationRequest, "dialect" | "bytes" | "payer">;
type Estimated = ReadByModel & Pick<GenerationRequest, "input">;

/** All that reads a whole body. It may be done elsewhere, so it is waited for. */
export type Paperwork = {
  groupRoutes: (
    request: GenerationRequest,
    offer: { routes: readonly GenerationRoute[] } & ModelFacts,
    wanted: Fidelity,
  ) => Soon<RouteGroups<GenerationRoute>>;
  estimateInput: (request: Estimated) => Soon<InputEstimate>;
  /** How many tokens the model reads of it, by a vocabulary close to most, with media and what providers add as usual. For a bill. */
  countInput: (request: ReadByModel) => Promise<number>;
  /** The tokens of its text alone, and of a long one by a sample. For a judgement before anything is paid. */
  countText: (request: ReadByModel) => Promise<number>;
  /** How many tokens the bound of its input falls by when its texts are counted. Rejects when the threads have no time for it. */
  savedByCounting: (request: ReadByModel, vocabulary: Vocabulary) => Promise<number>;
  /** The bytes that the provider of this route is sent. */
  writeRequest: (request: GenerationRequest, route: GenerationRoute, told: Told) => Soon<Buffer>;
  /** Throws a fault when the provider's answer cannot be read. */
  readPlain: (
    bytes: Buffer,
    about: { request: GenerationRequest; route: GenerationRoute; origin: AnswerOrigin },
  ) => Soon<PlainAnswer>;
  /** The bytes that the provider of a route is sent. */
  writeEmbeddings: (request: EmbeddingsRequest, told: { upstreamModel: string; members: MemberPolicy }) => Soon<Buffer>;
  /** How many tokens its texts have, by a vocabulary close to most. For a bill. */
  countEmbedded: (request: EmbeddingsRequest) => Promise<number>;
  /** Throws a fault when the provider's answer is not one vector for each input. */
  readEmbeddingsAnswer: (bytes: Buffer, asked: AskedEmbeddings, payer: Payer) => Soon<EmbeddingsAnswer>;
  writeCountRequest: (request: CountTokensRequest, told: CountTold) => Soon<Buffer>;
};
