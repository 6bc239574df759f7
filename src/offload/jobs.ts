import type { Payer } from "../core/money/payer.ts";
import type { IncomingHttpHeaders } from "node:http";
import type { ClientDialect, ProviderDialect } from "../core/request/dialect.ts";
import type { InputEstimate } from "../core/request/input-estimate.ts";
import { countInSlices } from "../tokens/count-in-slices.ts";
import { countInput, countTexts, sampleTextTokens } from "../tokens/count-input.ts";
import { loadCountTokens } from "../tokens/count-tokens.ts";
import { savedByCounting } from "../tokens/saved-by-counting.ts";
import type { Vocabulary } from "../core/request/vocabulary.ts";
import { LARGE_BODY_BYTES } from "../core/bytes/large-body.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { estimateInput } from "../tokens/estimate-input.ts";
import type { PlainAnswer } from "../translate/answer-stage.ts";
import type { ModelFacts } from "../translate/fidelity/field-row.ts";
import {
  type AskedEmbeddings,
  type EmbeddingsAnswer,
  readEmbeddings,
} from "../translate/embeddings/read-embeddings.ts";
import { writeEmbeddings } from "../translate/embeddings/write-embeddings.ts";
import { groupRoutes, type Fidelity } from "../translate/fidelity/group-routes.ts";
import { echoOf } from "../translate/form/echo.ts";
import { pickTranslator } from "../translate/pick-translator.ts";
import { withoutSealed } from "../translate/sealed-thoughts.ts";
import type { AnswerOrigin, Told } from "../translate/translator.ts";
import { readChatRequest } from "../wire/chat/chat-request.ts";
import { type EmbeddingsRequest, readEmbeddingsRequest, textsIn } from "../wire/embeddings/embeddings-request.ts";
import { fingerprintOf } from "../wire/fingerprint.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import { hideCaller } from "../wire/hide-caller.ts";
import { type ParsedBody, parseBody } from "../wire/json/parse-body.ts";
import type { MediaUrls } from "../wire/members/media-address.ts";
import { withoutUnknown } from "../wire/members/unknown-members.ts";
import { cloudCountBody } from "../wire/messages/cloud-body.ts";
import {
  type CountTokensRequest,
  type CountTold,
  countBody,
  readCountRequest,
} from "../wire/messages/count-request.ts";
import { modelInputOf, readModelInput } from "../wire/model-input.ts";
import { readMessagesRequest } from "../wire/messages/messages-request.ts";
import { readResponsesRequest } from "../wire/responses/responses-request.ts";
import { readSocketMessage } from "../wire/responses/socket-message.ts";

/** A body as it arrived, with what its reading depends on. */
export type Arrived = {
  keyId: string;
  payer: Payer;
  bytes: Buffer;
  headers: IncomingHttpHeaders;
  /** The operator's own additions to the flags of Format B that are passed on. */
  betas: readonly string[];
  /** Where providers may be told to fetch media from. */
  mediaUrls: MediaUrls;
  maxDepth: number;
};

export type ReadTask = Arrived & { dialect: ClientDialect };

/** A body that was read, as far as it matters to what a model makes of it. */
export type ReadByModel = { dialect: ClientDialect; bytes: Buffer };

/** What a route must say of where it leads, for a request to be written for it. */
type Spoken = { dialect: ProviderDialect; conformant: boolean };

/** What routes are grouped from, and by what. */
type Choice = {
  request: GenerationRequest;
  routes: readonly { dialect: ProviderDialect; upstreamModel: string }[];
  facts: ModelFacts;
  wanted: Fidelity;
};

/** What is asked for, and how many tokens its inputs are likely to have. */
export type ReadEmbeddingsTask = { request: EmbeddingsRequest; likely: number };

/** As many tokens as OpenAI takes in one request, and what stands around them. */
const MOST_EMBEDDED_VALUES = 305_000;

const likelyTokens = ({ sizes }: EmbeddingsRequest["input"], texts: readonly string[]): number =>
  texts.length > 0
    ? texts.reduce((sum, text) => sum + estimateTokens(text), 0)
    : sizes.reduce((sum, size) => sum + size, 0);

type CountWriting = { request: CountTokensRequest; told: CountTold };

/** A group by the places of its routes in the list they were chosen from. */
export type PlacedGroup = { places: number[]; fidelity: string };

const READERS: Record<ClientDialect, (body: ParsedBody, arrived: Arrived) => GenerationRequest> = {
  chat: (body, { mediaUrls }) => readChatRequest(body, mediaUrls),
  responses: (body, { mediaUrls }) => readResponsesRequest(body, mediaUrls),
  messages: (body, { headers, betas, mediaUrls }) => readMessagesRequest(body, headers, { betas, mediaUrls }),
};

/**
 * All work that reads the whole of a body. Each is a function of what can be sent to another thread, and gives back what can be
 * sent from there: it is done where it is asked for when the body is small, and in a thread of its own when it is not.
 */
export const JOBS = {
  /** No provider is to learn from a request who asked. Every generation is read by this. */
  readRequest: ({ dialect, ...arrived }: ReadTask): GenerationRequest => {
    const body = parseBody(arrived.bytes, arrived.maxDepth);
    const request = hideCaller(READERS[dialect](body, arrived), body, arrived);
    // The body is here as an object, and nobody needs to read it again for this.
    if (request.bytes === body.bytes)
      request.input = estimateInput(modelInputOf(dialect, body.value), request.bytes.length);
    if (body.bytes.length > LARGE_BODY_BYTES) request.echo = echoOf(body.value);
    return request;
  },

  readCountRequest: ({ bytes, headers, betas, mediaUrls, maxDepth, payer }: Arrived): CountTokensRequest => ({
    ...readCountRequest(parseBody(bytes, maxDepth), headers, { betas, mediaUrls }),
    payer,
  }),

  readSocketMessage,

  fingerprint: fingerprintOf,

  estimateInput: (body: ReadByModel): InputEstimate => estimateInput(readModelInput(body), body.bytes.length),

  countInput: async (body: ReadByModel): Promise<number> => countInput(readModelInput(body), await loadCountTokens()),

  countTokens: async ({ text }: { text: string }): Promise<number> => countInSlices(text, await loadCountTokens()),

  countText: async (body: ReadByModel): Promise<number> =>
    sampleTextTokens(readModelInput(body), await loadCountTokens()),

  savedByCounting: async ({ vocabulary, ...body }: ReadByModel & { vocabulary: Vocabulary }): Promise<number> =>
    savedByCounting(readModelInput(body), vocabulary, await loadCountTokens()),

  groupRoutes: ({ request, routes, facts, wanted }: Choice): { best: PlacedGroup; others: PlacedGroup[] } => {
    const placed = routes.map((route, place) => ({ ...route, place }));
    const { best, others } = groupRoutes(request, { routes: placed, ...facts }, wanted);
    const byPlace = (group: { routes: readonly { place: number }[]; fidelity: string }): PlacedGroup => ({
      places: group.routes.map(({ place }) => place),
      fidelity: group.fidelity,
    });
    return { best: byPlace(best), others: others().map(byPlace) };
  },

  /** A list of tokens has a value for each. */
  readEmbeddings: (arrived: Omit<Arrived, "headers" | "betas" | "mediaUrls">): ReadEmbeddingsTask => {
    const body = parseBody(arrived.bytes, arrived.maxDepth, MOST_EMBEDDED_VALUES);
    const { request, texts } = readEmbeddingsRequest(body);
    return { request: hideCaller(request, body, arrived), likely: likelyTokens(request.input, texts) };
  },

  /** Of texts; how long lists of tokens are is known. */
  countEmbedded: async ({ bytes }: { bytes: Buffer }): Promise<number> =>
    countTexts(textsIn(bytes), await loadCountTokens()),

  writeEmbeddings: ({ request, told }: { request: EmbeddingsRequest; told: Parameters<typeof writeEmbeddings>[1] }) =>
    writeEmbeddings(request, told),

  readEmbeddingsAnswer: ({ bytes, asked }: { bytes: Buffer; asked: AskedEmbeddings }): EmbeddingsAnswer =>
    readEmbeddings(bytes, asked),

  writeRequest: ({ request, route, told }: { request: GenerationRequest; route: Spoken; told: Told }): Buffer =>
    pickTranslator(request.dialect, route).request(request, told),

  writeCountRequest: ({ request, told: { upstreamModel, members, cloud } }: CountWriting): Buffer => {
    const known = withoutUnknown(request, members);
    const body = countBody(known, upstreamModel, withoutSealed(known)?.edits);
    const betas = request.forwardedHeaders["anthropic-beta"];
    return cloud === null ? body : cloudCountBody(body, { cloud, betas, upstreamModel });
  },

  readPlain: (task: { bytes: Buffer; request: GenerationRequest; route: Spoken; origin: AnswerOrigin }): PlainAnswer =>
    pickTranslator(task.request.dialect, task.route).plain(task.bytes, task.request, task.origin),
} as const;

export type JobName = keyof typeof JOBS;
export type JobTask<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[0];
export type JobResult<Name extends JobName> = Awaited<ReturnType<(typeof JOBS)[Name]>>;
