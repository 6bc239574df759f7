import type { ByteReader, ByteStream } from "../../src/core/bytes/byte-stream.ts";
import { systemClock } from "../../src/core/clock.ts";
import { type ClientDialect, PROVIDER_DIALECTS, type ProviderDialect } from "../../src/core/request/dialect.ts";
import { Fault } from "../../src/core/fault.ts";
import type { Sink } from "../../src/core/request/sink.ts";
import type { AnswerOutcome, Usage } from "../../src/core/money/usage.ts";
import { createRelay } from "../../src/relay/relay.ts";
import { pickTranslator } from "../../src/translate/pick-translator.ts";
import { requestOf } from "./request-of.ts";

/** Two formats, and how an answer goes from one to the other. */
export type Pair = {
  client: ClientDialect;
  provider: ProviderDialect;
  route: "translated" | "normalised" | "untouched";
};

const DIALECTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
export const PAIRS: readonly Pair[] = DIALECTS.flatMap((client) =>
  PROVIDER_DIALECTS.map((provider) => ({ client, provider, route: client === provider ? "normalised" : "translated" })),
);
export const UNTOUCHED: readonly Pair[] = DIALECTS.map((dialect) => ({
  client: dialect,
  provider: dialect,
  route: "untouched",
}));

/** What a caller has been sent in the end, and what the answer is charged by. */
export type Relayed = { text: string; outcome: AnswerOutcome; usage: Usage | null; failedBy: string };

const LIMITS = { deadlineMs: 60_000, keepAliveMs: 60_000, maxEventBytes: 10_000_000 };
const ORIGIN = { requestId: "req_00ff", createdAtSeconds: 1_700_000_000 };
const relay = createRelay({ limits: LIMITS, clock: systemClock });

/** Brings a provider's stream to a caller as the gateway does, through the real relay. */
export const relayAnswer = (pair: Pair, chunks: readonly Buffer[]): Promise<Relayed> => relayBody(pair, bodyOf(chunks));

/** The same for a stream that is not in chunks, such as one that has been wrapped. */
export async function relayBody(
  { client, provider, route }: Pair,
  body: ByteStream,
  upstreamModel?: string,
): Promise<Relayed> {
  const conformant = route === "untouched";
  const stage = pickTranslator(client, { dialect: provider, conformant }).stage(requestOf(client), {
    ...ORIGIN,
    ...(upstreamModel !== undefined && { upstreamModel }),
  });
  const written: Buffer[] = [];
  const { outcome, usage, terminal, failedBy } = await relay({
    body,
    stage,
    sink: sinkTo(written),
    head: { status: 200, headers: {} },
    startedAtMs: systemClock.elapsedMs(),
    requestBytes: 0,
    onFirstByte: () => undefined,
    onProgress: () => undefined,
  });
  const fault = new Fault("upstream_error", "The provider broke off.");
  const end = outcome === "completed" ? terminal : stage.failure(fault, ORIGIN.requestId);
  return {
    text: Buffer.concat([...written, end ?? Buffer.alloc(0)]).toString(),
    outcome,
    usage,
    failedBy: String(failedBy),
  };
}

export function bodyOf(chunks: readonly Buffer[]): ByteStream {
  let cancelled = false;
  const flow = ({ chunk, end }: ByteReader): void => {
    for (const bytes of chunks) {
      if (cancelled) return;
      chunk(bytes);
    }
    end();
  };
  return { read: flow, pause: () => undefined, resume: () => undefined, cancel: () => (cancelled = true) };
}

function sinkTo(written: Buffer[]): Sink {
  return {
    isGone: () => false,
    onGone: () => undefined,
    begin: () => undefined,
    write: (bytes) => written.push(Buffer.from(bytes)) > 0,
    onDrained: () => undefined,
    end: () => undefined,
  };
}
