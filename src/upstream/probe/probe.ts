import type { ProviderDialect } from "../../core/request/dialect.ts";
import { PROBE_OUTPUT_TOKENS, type ProbeResult, type ProbeTarget } from "../../core/catalogue/probe.ts";
import type { CallCredential } from "../../core/catalogue/call-credential.ts";
import { scrub } from "../../core/secret/scrub.ts";
import { prepareRoute, signed } from "../route/prepare-route.ts";
import type { Quirks } from "../providers.ts";
import { examineStream } from "./examine-stream.ts";
import { reasonOf } from "./reason-of.ts";

/** Makes one small call to a provider, at its price. The secret goes with the call and into no word of the result. */
export type Probe = (
  provider: { baseUrl: string; credential: CallCredential },
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

const OPERATIONS: Record<ProviderDialect, Operation> = {
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
};

/**
 * Makes one small streamed call, with nothing in between, and says what its answer was like. It is asked where and how the
 * gateway would ask it, or the test would tell of another call.
 */
export const createProbe =
  ({ fetch, elapsedMs }: Means): Probe =>
  async ({ baseUrl, credential }, { upstreamModel, dialect }) => {
    const { body } = OPERATIONS[dialect];
    const secret = typeof credential === "string" ? credential : null;
    const begunMs = elapsedMs();
    const since = (): number => Math.round(elapsedMs() - begunMs);
    const hidden = (text: string): string => (secret ? text.replaceAll(secret, "[secret]") : text);
    if (secret !== null && !SENDABLE.test(secret)) {
      return { status: null, firstByteMs: null, wholeMs: 0, problem: UNSENDABLE, examination: null };
    }
    const { origin, paths, headers, quirks, signer } = prepareRoute({ baseUrl, dialect, upstreamModel }, credential);
    const [path, asked] = [paths.streamed, Buffer.from(JSON.stringify(body(upstreamModel, quirks)))];
    try {
      const call = { method: "POST", host: new URL(origin).host, path, headers, body: asked } as const;
      const response = await fetch(origin + path, {
        method: "POST",
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: signer === null ? headers : await signed(call, signer, TIMEOUT_MS),
        body: asked,
      });
      const { text, firstByteMs } = await readBody(response, since);
      const outcome = { status: response.status, firstByteMs, wholeMs: since() };
      const type = response.headers.get("content-type") ?? "";
      if (response.status !== 200) {
        const problem = scrub(hidden(text), upstreamModel).slice(0, SHOWN_CHARACTERS);
        return { ...outcome, problem, examination: null };
      }
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

async function readBody(
  response: Response,
  since: () => number,
): Promise<{ text: string; firstByteMs: number | null }> {
  let firstByteMs: number | null = null;
  let bytes = 0;
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    firstByteMs ??= since();
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`the answer is larger than ${MOST_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), firstByteMs };
}
