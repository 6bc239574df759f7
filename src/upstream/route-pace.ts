import type { Pace } from "../core/pace.ts";

/** What a stream showed that its caller did not slow down. */
export type PaceSample = {
  /** Of one answer. */
  tokens: number;
  /** In which these were produced. */
  speakingMs: number;
  /** From the provider's 200 to the first token; null when something may have been thought before it. */
  firstTokenMs: number | null;
};

/**
 * Of a route that nothing is known of. A hundred tokens a second is more than most published models give and less than the fastest, and all
 * silence is taken for thought: a new route is no free pass, and what is estimated with it stays within what was set aside.
 */
const ASSUMED: Pace = { tokensPerSecond: 100, firstTokenMs: 0 };
/** Nothing that is sold today speaks faster; what seems to was gathered on its way. */
const FASTEST = 5_000;
/** The middle of so many late samples: no single caller's stream moves it, and it follows a provider within minutes. */
const KEPT = 31;
/** Shorter answers say more about timers and networks than about speed. */
const SHORTEST = { tokens: 16, speakingMs: 50 };

/** The middle of what late streams of a route showed; bounded, and read once per stream. */
export function createRoutePace(): { add: (sample: PaceSample) => void; value: () => Pace } {
  const rates: number[] = [];
  const firsts: number[] = [];
  return {
    add: ({ tokens, speakingMs, firstTokenMs }) => {
      if (firstTokenMs !== null) keep(firsts, firstTokenMs);
      if (tokens < SHORTEST.tokens || speakingMs < SHORTEST.speakingMs) return;
      keep(rates, Math.min(FASTEST, (tokens * 1_000) / speakingMs));
    },
    value: () => ({
      tokensPerSecond: middle(rates) ?? ASSUMED.tokensPerSecond,
      firstTokenMs: middle(firsts) ?? ASSUMED.firstTokenMs,
    }),
  };
}

function keep(samples: number[], sample: number): void {
  if (samples.push(sample) > KEPT) samples.shift();
}

const middle = (samples: readonly number[]): number | null =>
  Float64Array.from(samples).sort()[samples.length >> 1] ?? null;
