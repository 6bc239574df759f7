import type { Payer } from "../core/money/payer.ts";
import { LARGE_BODY_BYTES } from "../core/bytes/large-body.ts";
import type { ProviderDialect } from "../core/request/dialect.ts";
import type { InputEstimate } from "../core/request/input-estimate.ts";
import { after, type Soon } from "../core/soon.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import type { Vocabulary } from "../core/request/vocabulary.ts";
import type { PlainAnswer } from "../translate/answer-stage.ts";
import type { ModelFacts } from "../translate/fidelity/field-row.ts";
import type { AskedEmbeddings, EmbeddingsAnswer } from "../translate/embeddings/read-embeddings.ts";
import { groupRoutes, type Fidelity, type RouteGroups } from "../translate/fidelity/group-routes.ts";
import type { AnswerOrigin, Told } from "../translate/translator.ts";
import type { Repeatable } from "../wire/fingerprint.ts";
import type { EmbeddingsRequest } from "../wire/embeddings/embeddings-request.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import type { CountTokensRequest, CountTold } from "../wire/messages/count-request.ts";
import type { ReceivedMessage, SocketMessage } from "../wire/responses/socket-message.ts";
import { createStamp } from "../wire/stamp.ts";
import {
  type Arrived,
  JOBS,
  type JobName,
  type JobResult,
  type JobTask,
  type PlacedGroup,
  type ReadByModel,
  type ReadEmbeddingsTask,
  type ReadTask,
} from "./jobs.ts";
import { sendable } from "./message.ts";
import type { Pool } from "./pool.ts";

type Route = { dialect: ProviderDialect; upstreamModel: string; conformant: boolean };

type Threads = Pick<Pool, "run"> | null;

/** Everything that reads a whole body: here while it is small, in a thread when it is large. Without threads, always here. */
export function createPaperwork(pool: Threads) {
  const run = createRun(pool);
  return {
    ...readingOf(run),
    ...countingIn(pool),
    ...writingOf(run),
    ...embeddingsOf(run, pool),
    groupRoutes: createGroupRoutes(pool),
  };
}

type Run = ReturnType<typeof createRun>;

const createRun =
  (pool: Threads) =>
  <Name extends JobName>(
    name: Name,
    task: JobTask<Name>,
    { bytes, payer }: { bytes: number; payer: Payer },
  ): Soon<JobResult<Name>> => {
    if (pool !== null && bytes > LARGE_BODY_BYTES) return pool.run(name, sendable(task), payer);
    return (JOBS[name] as (given: JobTask<Name>) => Soon<JobResult<Name>>)(task);
  };

const sizeOf = ({ bytes, payer }: { bytes: Buffer; payer: Payer }) => ({ bytes: bytes.length, payer });

function readingOf(run: Run) {
  return {
    /** The request knows what was sealed for its caller, by the secret that the caller came with. */
    readRequest: ({ secret, ...task }: ReadTask & { secret: string }): Soon<GenerationRequest> => {
      const read = run("readRequest", task, { bytes: task.bytes.length, payer: task.payer });
      return after(read, (request) => {
        request.stamp = createStamp(secret);
        return request;
      });
    },

    readCountRequest: (task: Arrived): Soon<CountTokensRequest> =>
      run("readCountRequest", task, { bytes: task.bytes.length, payer: task.payer }),

    readSocketMessage: ({ payer, ...task }: ReceivedMessage & { payer: Payer }): Soon<SocketMessage> => {
      const bytes = task.bytes.length + (task.previous?.items.length ?? 0);
      return run("readSocketMessage", task, { bytes, payer });
    },

    fingerprint: (task: Repeatable & { payer: Payer }): Soon<Buffer> => run("fingerprint", task, sizeOf(task)),

    estimateInput: ({
      input,
      dialect,
      bytes,
      payer,
    }: ReadByModel & { payer: Payer; input?: InputEstimate }): Soon<InputEstimate> =>
      input ?? run("estimateInput", { dialect, bytes }, sizeOf({ bytes, payer })),

    /** An answer may have to repeat its request. */
    readPlain: (
      bytes: Buffer,
      {
        request,
        route: { dialect, conformant },
        origin,
      }: { request: GenerationRequest; route: Route; origin: AnswerOrigin },
    ): Soon<PlainAnswer> =>
      run(
        "readPlain",
        { bytes, request, route: { dialect, conformant }, origin },
        { bytes: Math.max(bytes.length, request.bytes.length), payer: request.payer },
      ),
  };
}

function writingOf(run: Run) {
  return {
    writeRequest: (request: GenerationRequest, { dialect, conformant }: Route, told: Told): Soon<Buffer> =>
      run("writeRequest", { request, route: { dialect, conformant }, told }, sizeOf(request)),

    writeCountRequest: (request: CountTokensRequest, told: CountTold): Soon<Buffer> =>
      run("writeCountRequest", { request, told }, sizeOf(request)),
  };
}

function embeddingsOf(run: Run, pool: Threads) {
  return {
    readEmbeddings: (task: JobTask<"readEmbeddings">): Soon<ReadEmbeddingsTask> =>
      run("readEmbeddings", task, sizeOf(task)),

    writeEmbeddings: (request: EmbeddingsRequest, told: JobTask<"writeEmbeddings">["told"]): Soon<Buffer> =>
      run("writeEmbeddings", { request, told }, sizeOf(request)),

    /** For a bill. Rejects when the threads have no time for it. */
    countEmbedded: ({ bytes, payer }: EmbeddingsRequest): Promise<number> =>
      pool === null ? JOBS.countEmbedded({ bytes }) : pool.run("countEmbedded", { bytes }, payer),

    readEmbeddingsAnswer: (bytes: Buffer, asked: AskedEmbeddings, payer: Payer): Soon<EmbeddingsAnswer> =>
      run("readEmbeddingsAnswer", { bytes, asked }, { bytes: bytes.length, payer }),
  };
}

/** Whatever the size: the vocabulary takes a fifth of a second and some 70 MiB to load. */
function countingIn(pool: Threads) {
  async function count<Name extends "countInput" | "countText" | "countTokens" | "savedByCounting">(
    name: Name,
    task: JobTask<Name>,
    payer: Payer,
  ): Promise<number> {
    if (pool !== null) return pool.run(name, task, payer);
    return (JOBS[name] as (given: JobTask<Name>) => Promise<number>)(task);
  }

  return {
    countInput: ({ dialect, bytes, payer }: ReadByModel & { payer: Payer }): Promise<number> =>
      count("countInput", { dialect, bytes }, payer),

    /** For a bill, which must be made: when the threads have no time for it the text is estimated. */
    countTokens: (text: string, payer: Payer): Promise<number> =>
      count("countTokens", { text }, payer).catch(() => estimateTokens(text)),

    countText: ({ dialect, bytes, payer }: ReadByModel & { payer: Payer }): Promise<number> =>
      count("countText", { dialect, bytes }, payer),

    savedByCounting: (
      { dialect, bytes, payer }: ReadByModel & { payer: Payer },
      vocabulary: Vocabulary,
    ): Promise<number> => count("savedByCounting", { dialect, bytes, vocabulary }, payer),
  };
}

const createGroupRoutes =
  (pool: Threads) =>
  <Chosen extends Route>(
    request: GenerationRequest,
    { routes, ...facts }: { routes: readonly Chosen[] } & ModelFacts,
    wanted: Fidelity,
  ): Soon<RouteGroups<Chosen>> => {
    if (pool === null || request.bytes.length <= LARGE_BODY_BYTES) {
      return groupRoutes(request, { routes, ...facts }, wanted);
    }
    const told = routes.map(({ dialect, upstreamModel }) => ({ dialect, upstreamModel }));
    const back = ({ places, fidelity }: PlacedGroup) => ({
      routes: places.flatMap((place) => routes[place] ?? []),
      fidelity,
    });
    return pool
      .run("groupRoutes", sendable({ request, routes: told, facts, wanted }), request.payer)
      .then(({ best, others }): RouteGroups<Chosen> => ({ best: back(best), others: () => others.map(back) }));
  };
