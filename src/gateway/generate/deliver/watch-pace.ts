import { reasoningPace } from "../../../catalogue/can-reason.ts";
import type { Model } from "../../../catalogue/model.ts";
import type { Pace } from "../../../core/request/pace.ts";
import type { Route } from "../../../core/catalogue/route.ts";
import type { Usage } from "../../../core/money/usage.ts";
import type { Relayed } from "../../../relay/relay.ts";
import type { DeliveredText } from "../../../translate/delivered-text.ts";
import type { PaceSample } from "../../../upstream/route/route-pace.ts";
import type { GenerationState } from "../generation.ts";
import { SilenceMeter } from "./silence-meter.ts";
import { leaveToThink, thinksUnseen } from "../check/thinks-unseen.ts";

/** Text as it grows: all of it, and the share that was thought. */
type Seen = Pick<DeliveredText, "length" | "thoughtBytes" | "answerBytes">;

/** What the clock tells of one stream: how much was thought unseen, and how fast its route thinks and speaks. */
export type PaceWatch = {
  note: (delivered: Seen, nowMs: number, pausedMs: number) => void;
  /** Up to now; 0 where the model is not known to reason. */
  hiddenTokens: (nowMs: number, pausedMs: number) => number;
  /** What may have been thought beside that, and is not charged. */
  doubtedTokens: (nowMs: number, pausedMs: number) => number;
  /** Null when it says nothing of its route. */
  sample: (delivered: Seen, relayed: Pick<Relayed, "outcome" | "usage" | "pausedMs">) => PaceSample | null;
};

/** Common prose has twice as many: an answer with fewer was not all that its model produced. */
const FEWEST_BYTES_PER_TOKEN = 2;
const FEW_TOKENS = 8;
/** More tokens than bytes cannot have been seen, whatever they say. Some of an envelope may be counted, too. */
const UNSEEN_TOKENS = 64;
/** Shorter answers say more about timers and networks than about speed. */
const SHORTEST = { tokens: 16, thoughtMs: 50, spokenMs: 500 };
/** Who is silent for so long within an answer does something else than speaking. */
const STALL_MS = 2_000;

/** Called when the provider has said 200. */
export function watchPace({ generation, model, clock, paceOf }: GenerationState, route: Route): PaceWatch {
  const { request, caller } = generation;
  const { choices } = request;
  const answeredAtMs = clock.elapsedMs();
  const leave = leaveToThink(request, route);
  const pace = paceOf(route);
  const meter = thinksUnseen(model, leave, pace)
    ? new SilenceMeter({ pace: within(model, pace), choices, answeredAtMs })
    : null;
  // Where a provider has no word for what was thought, a first token is known to be one only where nothing can have been.
  const isUncounted = route.dialect === "messages";
  const countsThoughts = !isUncounted || meter === null;
  let first: { atMs: number; bytes: number } | null = null;
  let lastAtMs = 0;
  let lastBytes = 0;
  let longestGapMs = 0;

  return {
    note: (delivered, nowMs, pausedMs) => {
      if (delivered.length > lastBytes) {
        const atMs = nowMs - answeredAtMs;
        if (first !== null) longestGapMs = Math.max(longestGapMs, atMs - lastAtMs);
        lastAtMs = atMs;
        lastBytes = delivered.length;
        first ??= { atMs, bytes: lastBytes };
      }
      // Thoughts that are shown as they come leave no silence; of shortened ones, the thoughts were longer.
      meter?.note(pace.shortensThoughts ? delivered.answerBytes : delivered.length, nowMs, pausedMs);
    },
    hiddenTokens: (nowMs, pausedMs) => meter?.tokens(nowMs, pausedMs) ?? 0,
    doubtedTokens: (nowMs, pausedMs) => meter?.doubtedTokens(nowMs, pausedMs) ?? 0,
    sample: ({ length, thoughtBytes }, { outcome, usage, pausedMs }) => {
      if (outcome !== "completed" || usage === null || first === null || pausedMs > 0) return null;
      const thought = thoughtIn(usage, length, route);
      const allSeen = usage.outputTokens <= FEW_TOKENS + length / FEWEST_BYTES_PER_TOKEN;
      return {
        payer: caller.key.payer,
        token: allSeen ? spokenToken(usage, first) : thought > 0 || isUncounted ? thoughtToken(usage) : null,
        firstTokenMs: allSeen && (thoughtBytes > 0 || (thought === 0 && countsThoughts)) ? first.atMs : null,
        thoughtAs: thought > 0 ? leave : null,
        shortened: thoughtBytes > 0 && thought > 0 && !allSeen,
      };
    },
  };

  /** Of what came after the first piece, which may have waited for it. */
  function spokenToken({ outputTokens }: Usage, { atMs, bytes }: { atMs: number; bytes: number }): PaceSample["token"] {
    const tokens = (outputTokens * (1 - bytes / lastBytes)) / choices;
    return longestGapMs >= STALL_MS ? null : tokenOf(tokens, lastAtMs - atMs, "spoken");
  }

  /** Of all that was produced since its model can have begun. Tools that the provider ran took their time, too. */
  function thoughtToken({ outputTokens, toolCalls }: Usage): PaceSample["token"] {
    for (const _ in toolCalls) return null;
    return tokenOf(outputTokens / choices, lastAtMs - pace.firstTokenMs, "thought");
  }
}

const tokenOf = (tokens: number, ms: number, kind: "thought" | "spoken"): PaceSample["token"] =>
  tokens < SHORTEST.tokens || ms < SHORTEST[`${kind}Ms`] ? null : { ms: ms / tokens, kind };

/** As its provider counts them; of one whose format has no word for them, what cannot have been seen. Others may count more than was written for other reasons. */
function thoughtIn({ outputTokens, reasoningTokens }: Usage, length: number, { dialect }: Route): number {
  return dialect === "messages" ? Math.max(0, outputTokens - length - UNSEEN_TOKENS) : reasoningTokens;
}

function within(model: Model, pace: Pace): Pace {
  const { least, most } = reasoningPace(model);
  return { ...pace, tokensPerSecond: Math.min(most, Math.max(least, pace.tokensPerSecond)) };
}
