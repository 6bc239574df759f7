import type { Relayed } from "../../relay/relay.ts";
import type { DeliveredText } from "../../translate/delivered-text.ts";
import type { PaceSample } from "../../upstream/route-pace.ts";
import type { Route } from "../../core/route.ts";
import type { GenerationState } from "./generation.ts";
import { SilenceMeter } from "./silence-meter.ts";
import { thinksUnseen } from "./thinks-unseen.ts";

/** What the clock tells of one stream: how much was thought unseen, and how fast its route speaks. */
export type PaceWatch = {
  note: (delivered: DeliveredText, nowMs: number, pausedMs: number) => void;
  /** Up to now; 0 where the model does not reason. */
  hiddenTokens: (nowMs: number, pausedMs: number) => number;
  /** Null when it says nothing of its route. */
  sample: (delivered: DeliveredText, relayed: Relayed) => PaceSample | null;
};

/** Common prose has twice as many: an answer with fewer was not all that its model produced. */
const FEWEST_BYTES_PER_TOKEN = 2;
const BYTES_PER_TOKEN = 4;
const FEW_TOKENS = 8;

/** Called when the provider has said 200. */
export function watchPace({ generation, model, clock, paceOf }: GenerationState, route: Route): PaceWatch {
  const { request } = generation;
  const { choices } = request;
  const answeredAtMs = clock.elapsedMs();
  const meter = thinksUnseen(model, request, route)
    ? new SilenceMeter({ pace: paceOf(route), choices, answeredAtMs })
    : null;
  let first: { atMs: number; bytes: number } | null = null;
  let lastAtMs = 0;
  let lastBytes = 0;

  return {
    note: (delivered, nowMs, pausedMs) => {
      if (delivered.answerBytes > lastBytes) {
        lastAtMs = nowMs - answeredAtMs;
        lastBytes = delivered.answerBytes;
        first ??= { atMs: lastAtMs, bytes: lastBytes };
      }
      meter?.note(delivered.answerBytes, nowMs, pausedMs);
    },
    hiddenTokens: (nowMs, pausedMs) => meter?.tokens(nowMs, pausedMs) ?? 0,
    sample: ({ length, thoughtBytes }, { outcome, usage, pausedMs }) => {
      if (first === null || pausedMs > 0) return null;
      const tokens = (lastBytes - first.bytes) / BYTES_PER_TOKEN / choices;
      const seen = { tokens, speakingMs: lastAtMs - first.atMs, firstTokenMs: null };
      if (outcome !== "completed" || usage === null) return seen;
      const { outputTokens, reasoningTokens } = usage;
      const unthought = reasoningTokens === 0 && thoughtBytes === 0;
      const allSeen = outputTokens <= FEW_TOKENS + length / FEWEST_BYTES_PER_TOKEN;
      if (unthought && allSeen) return { ...seen, firstTokenMs: first.atMs };
      return { tokens: outputTokens / choices, speakingMs: lastAtMs, firstTokenMs: null };
    },
  };
}
