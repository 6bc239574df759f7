import { isEmbedding, type RouteFormat } from "../../core/request/dialect.ts";
import { PROBE_OUTPUT_TOKENS, type ProbeResult, type ProbeTarget } from "../../core/catalogue/probe.ts";
import type { CallCredential } from "../../core/catalogue/call-credential.ts";
import { scrub } from "../../core/secret/scrub.ts";
import { prepareRoute, signed } from "../route/prepare-route.ts";
import type { Quirks } from "../providers.ts";
import { streamOf } from "../../core/bytes/stream-of.ts";
import { cloudBody } from "../../wire/messages/cloud-body.ts";
import type { Unframe } from "../frames/unframe.ts";
import { readBeginning } from "../refusal/read-beginning.ts";
import { embeddingsProblem } from "./examine-embeddings.ts";
import { examineStream } from "./examine-stream.ts";
import { reasonOf } from "./reason-of.ts";

/** Makes one small call to a provider, at its price. The secret goes with the call and into no word of the result. */
export type Probe = (
  provider: { baseUrl: string; platform?: string | null; credential: CallCredential },
  target: ProbeTarget,
) => Promise<ProbeResult>;

type Means = { fetch: typeof globalThis.fetch; elapsedMs: () => number };

const TIMEOUT_MS = 60_000;
const MOST_BYTES = 1_048_576;
const SHOWN_CHARACTERS = 300;
/** What is no header would be refused by the runtime, in words that repeat it. */
const SENDABLE = /^[\x20-\x7e]*$/;
const UNSENDABLE = "the credential cannot be sent: it is of several lines, or not of printable ASCII characters alone";
const QUESTION = "Reply with the word hello.";

type Operation = { body: (model: string, quirks: Quirks) => Record<string, unknown> };

const messages = [{ role: "user", content: QUESTION }];

const OPERATIONS: Record<RouteFormat, Operation> = {
  chat: {
    body: (model, { chat: { outputLimitField, streamOptions } }) => ({
      model,
      messages,
      stream: true,
      [outputLimitField]: PROBE_OUTPUT_TOKENS,
      ...(streamOptions === "refused" ? {} : { stream_options: { include_usage: true } }),
    }),
  },
  responses: {
    body: (model) => ({
      model,
      input: QUESTION,
      max_output_tokens: PROBE_OUTPUT_TOKENS,
      stream: true,
      store: false,
    }),
  },
  messages: {
    body: (model) => ({ model, messages, max_tokens: PROBE_OUTPUT_TOKENS, stream: true }),
  },
  gemini: {
    body: () => ({
      contents: [{ role: "user", parts: [{ text: QUESTION }] }],
      generationConfig: { maxOutputTokens: PROBE_OUTPUT_TOKENS },
    }),
  },
  converse: {
    body: () => ({
      messages: [{ role: "user", content: [{ text: QUESTION }] }],
      inferenceConfig: { maxTokens: PROBE_OUTPUT_TOKENS },
    }),
  },
  embeddings: {
    body: (model) => ({ model, input: QUESTION }),
  },
};

/**
 * Makes one small call, streamed unless it is for an embedding, with nothing in between, and says what its answer was like. It is asked where and how the
 * gateway would ask it, or the test would tell of another call.
 */
export const createProbe =
  ({ fetch, elapsedMs }: Means): Probe =>
  async ({ baseUrl, platform = null, credential }, { upstreamModel, dialect }) => {
    const secret = typeof credential === "string" ? credential : null;
    const begunMs = elapsedMs();
    const since = (): number => Math.round(elapsedMs() - begunMs);
    const hidden = (text: string): string => (secret ? text.replaceAll(secret, "[secret]") : text);
    if (secret !== null && !SENDABLE.test(secret)) {
      return { status: null, firstByteMs: null, wholeMs: 0, problem: UNSENDABLE, examination: null };
    }
    try {
      const prepared = prepareRoute({ baseUrl, platform, dialect, upstreamModel }, credential);
      const { origin, paths, headers, quirks, signer, unframe } = prepared;
      const asked = bodyOf(dialect, upstreamModel, quirks);
      const embeds = isEmbedding(dialect);
      const path = embeds ? paths.whole : paths.streamed;
      const call = { method: "POST", host: new URL(origin).host, path, headers, body: asked } as const;
      const response = await fetch(origin + path, {
        method: "POST",
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: signer === null ? headers : await signed(call, signer, TIMEOUT_MS),
        body: asked,
      });
      const { bytes, firstByteMs } = await readBody(response, since);
      const { status, type, text } = await asEvents({ response, bytes, unframe });
      const outcome = { status, firstByteMs, wholeMs: since() };
      if (status !== 200) {
        const problem = scrub(hidden(text), upstreamModel).slice(0, SHOWN_CHARACTERS);
        return { ...outcome, problem, examination: null };
      }
      if (embeds) return { ...outcome, problem: embeddingsProblem(text), examination: null };
      if (!type.startsWith("text/event-stream"))
        return { ...outcome, problem: `the answer is no stream but ${type || "of no type"}`, examination: null };
      return { ...outcome, problem: null, examination: examineStream(dialect, text) };
    } catch (error) {
      return {
        status: null,
        firstByteMs: null,
        wholeMs: since(),
        problem: hidden(reasonOf(error, TIMEOUT_MS)),
        examination: null,
      };
    }
  };

function bodyOf(dialect: RouteFormat, upstreamModel: string, quirks: Quirks): Buffer {
  const body = Buffer.from(JSON.stringify(OPERATIONS[dialect].body(upstreamModel, quirks)));
  const { cloud } = quirks.messages;
  return dialect === "messages" && cloud !== null ? cloudBody(body, { cloud, betas: undefined, upstreamModel }) : body;
}

type Answered = { response: Response; bytes: Buffer; unframe: Unframe | null };

/** What was answered, as the events of a stream if it came in frames. */
async function asEvents({
  response,
  bytes,
  unframe,
}: Answered): Promise<{ status: number; type: string; text: string }> {
  const { status } = response;
  const type = response.headers.get("content-type") ?? "";
  if (unframe === null) return { status, type, text: bytes.toString("utf8") };
  const framed = { status, headers: { "content-type": type }, body: streamOf(bytes) };
  const answer = await unframe(framed, { onGone: () => undefined });
  const events = await readBeginning(answer.body, { maxBytes: 2 * MOST_BYTES, timeoutMs: TIMEOUT_MS });
  const isStream = answer.status === 200;
  return { status: answer.status, type: isStream ? "text/event-stream" : type, text: events.toString("utf8") };
}

async function readBody(
  response: Response,
  since: () => number,
): Promise<{ bytes: Buffer; firstByteMs: number | null }> {
  let firstByteMs: number | null = null;
  let length = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    firstByteMs ??= since();
    length += chunk.length;
    if (length > MOST_BYTES) throw new Error(`the answer is larger than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), firstByteMs };
}
