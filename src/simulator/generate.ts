import type { Clock } from "../core/clock.ts";
import { checkReasoning } from "./ask/check-reasoning.ts";
import type { Ask, Dialect } from "./dialect.ts";
import { planGeneration, promptTokens } from "./plan/generation.ts";
import type { Outlet } from "./send/outlet.ts";
import { sendPlainAnswer, sleep } from "./send/plain-answer.ts";
import { createPlainBody } from "./send/plain-body.ts";
import { encodeRecording, type ReadRecording, type Recording } from "./plan/recordings.ts";
import { Refusal } from "./ask/refusal.ts";
import { createRemember } from "./plan/remember.ts";
import { DEFAULT_SCRIPT, parseSettings, type Script, settingsOfModel } from "./plan/script.ts";
import { StreamProducer } from "./send/stream-producer.ts";
import { createTakeTurn } from "./plan/turn.ts";

export type Generate = (exchange: {
  dialect: Dialect;
  ask: Ask;
  id: string;
  header: string;
  outlet: Outlet;
  /** What is to come of it: an answer, how long the question is, or vectors. */
  operation: "generate" | "count" | "embed";
}) => Promise<void>;

type Parts = { readRecording: ReadRecording; clock: Clock };

const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** The life of one simulated generation: read the script, wait, break or answer as it says. */
export function createGenerate({ readRecording, clock }: Parts): Generate {
  const rememberScript = createRemember<Script>(10_000);
  const plainBody = createPlainBody();
  const takeTurn = createTakeTurn();

  return async ({ dialect, ask, id, header, outlet, operation }) => {
    const settings = settingsOfModel(ask.model);
    const planned = rememberScript(`${settings}\n${header}`, () => ({
      ...DEFAULT_SCRIPT,
      ...parseSettings(settings),
      ...parseSettings(header),
    }));
    const script = takeTurn({ script: planned, name: `${dialect.name} ${ask.model}\n${header}`, body: ask.body });
    if (script.thoughtless) checkReasoning(dialect.name, ask.body);
    const recording = script.recording === null ? null : await readRecording(dialect, script.recording);

    if (script.hashed) outlet.hash();
    if (script.firstTokenMs > 0) await sleep(outlet, script.firstTokenMs);
    if (!outlet.open || brokenBeforeHead(outlet, script)) return;
    if (script.refuseStatus !== null) return refuse(outlet, script, recording);

    if (operation === "count") return sendCount(outlet, dialect, script.inputTokens ?? promptTokens(ask));

    if (operation === "embed" && dialect.embed) {
      const body = recording?.kind === "plain" ? recording.body : dialect.embed.answer(ask, script);
      return sendPlainAnswer({ outlet, body, script, tokens: script.tokens });
    }

    const generation = planGeneration({ ask, script, id, nowMs: clock.nowMs() });
    outlet.call.streamed = recording === null ? ask.streamed : recording.kind === "stream";
    if (outlet.call.streamed) {
      const encoder = dialect.encode(generation);
      const { framing } = dialect;
      if (framing) outlet.frame(framing.bytes);
      outlet.begin(200, framing ? { "content-type": framing.contentType } : STREAM_HEADERS);
      const chosen = recording?.kind === "stream" ? encodeRecording(recording.events, encoder) : encoder;
      return new StreamProducer({ outlet, encoder: chosen, script }).start();
    }

    const body = recording?.kind === "plain" ? recording.body : plainBody({ dialect, generation, script, header });
    return sendPlainAnswer({ outlet, body, script, tokens: (generation.tokens + script.secretTokens) * ask.choices });
  };
}

function sendCount(outlet: Outlet, { count }: Dialect, inputTokens: number): void {
  outlet.begin(200, { "content-type": "application/json" });
  outlet.end(JSON.stringify(count?.answer(inputTokens)));
}

function brokenBeforeHead(outlet: Outlet, { interruption }: Script): boolean {
  if (interruption === null || interruption.afterTokens !== null) return false;
  if (interruption.kind === "reset") outlet.reset();
  return true;
}

/** A recorded error body goes out as it was; otherwise the dialect words the refusal. */
function refuse(outlet: Outlet, script: Script, recording: Recording | null): void {
  const status = script.refuseStatus ?? 500;
  const { retryAfterSeconds } = script;
  if (recording?.kind !== "plain") {
    throw new Refusal(status, `The script of this call asks for status ${status}.`, {
      ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    });
  }
  outlet.begin(status, {
    "content-type": "application/json",
    "content-length": recording.body.length,
    ...(retryAfterSeconds !== null && { "retry-after": String(retryAfterSeconds) }),
  });
  outlet.fail(recording.body);
}
