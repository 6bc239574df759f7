import type { Pace } from "../../core/request/pace.ts";

/** What a completed stream showed that its caller did not slow down. */
export type PaceSample = {
  /** Whose stream it was. */
  payer: string;
  /** What a token took. `thought`: tokens that nobody saw are among them. Null: too short, or too uneven, to say. */
  token: { ms: number; kind: "thought" | "spoken" } | null;
  /** From the provider's 200 to the first token; null when something may have been thought before it. */
  firstTokenMs: number | null;
  /** How the request allowed what was thought; null when nothing was. */
  thoughtAs: "told" | "untold" | "forbidden" | null;
  /** Thoughts were shown, and more was thought than that. */
  shortened: boolean;
};

/**
 * Of a route that nothing is known of: a common pace, and what it takes most hosted models to begin. Whoever leaves a stream
 * before any was completed is charged by it. Of one that has never answered without a thought, the whole time is thought in.
 */
const ASSUMED = { tokensPerSecond: 60, firstTokenMs: 0, lateFirstTokenMs: 1_000 };
/** How much later than usual a first token may come before something must have been thought: at least and at most. */
const LATER_MS = { least: 500, most: 3_000 };
/** Nothing that is sold today thinks faster. */
const FASTEST = 5_000;
/** What seems to be spoken faster was gathered on its way, and says nothing of how fast the model thinks. */
const FASTEST_SPOKEN = 1_000;
/** Of so many payers, the last so many streams each: nobody's weigh more than anybody else's. */
const PAYERS = 31;
const STREAMS = 7;
const MOST_SHORTENED = 2;

type Votes = { thought: number[]; spoken: number[]; firsts: number[] };

/** What late streams of a route showed; bounded, and worked out when it is asked for. */
export class RoutePace {
  readonly #payers = new Map<string, Votes>();
  readonly #thinks = { told: false, untold: false, forbidden: false };
  /** Those whose streams showed less than was thought. */
  readonly #shortenedFor = new Set<string>();
  #value: Pace | null = null;

  add({ payer, token, firstTokenMs, thoughtAs, shortened }: PaceSample): void {
    this.#value = null;
    if (thoughtAs !== null) this.#thinks[thoughtAs] = true;
    const votes = this.#votesOf(payer);
    // What is asked can look like it, so one is not enough where there are others.
    if (shortened && this.#shortenedFor.size < MOST_SHORTENED) this.#shortenedFor.add(payer);
    if (token !== null) keep(votes[token.kind], Math.max(token.ms, 1_000 / FASTEST));
    if (firstTokenMs !== null) keep(votes.firsts, firstTokenMs);
  }

  value(): Pace {
    return (this.#value ??= this.#worked());
  }

  #worked(): Pace {
    const votes = [...this.#payers.values()];
    const thought = middle(votes.map((vote) => mean(vote.thought)));
    const spoken = middle(votes.map((vote) => mean(vote.spoken)));
    const usualMs = middle(votes.map((vote) => middle(vote.firsts)));
    const latestMs = middle(votes.map((vote) => latest(vote.firsts))) ?? 0;
    const { tokensPerSecond } = ASSUMED;
    return {
      tokensPerSecond: perSecond(thought) ?? atMost(FASTEST_SPOKEN, perSecond(spoken)) ?? tokensPerSecond,
      lostPerSecond: perSecond(thought) ?? perSecond(spoken) ?? tokensPerSecond,
      firstTokenMs: usualMs ?? ASSUMED.firstTokenMs,
      lateFirstTokenMs:
        usualMs === null
          ? ASSUMED.lateFirstTokenMs
          : Math.min(usualMs + LATER_MS.most, Math.max(usualMs + LATER_MS.least, latestMs)),
      thinks: { ...this.#thinks },
      shortensThoughts: this.#payers.size > 0 && this.#shortenedFor.size >= Math.min(MOST_SHORTENED, this.#payers.size),
    };
  }

  #votesOf(payer: string): Votes {
    const votes = this.#payers.get(payer) ?? { thought: [], spoken: [], firsts: [] };
    // The one that was heard last is the last to be forgotten.
    this.#payers.delete(payer);
    this.#payers.set(payer, votes);
    for (const [oldest] of this.#payers) {
      if (this.#payers.size <= PAYERS) break;
      this.#payers.delete(oldest);
    }
    return votes;
  }
}

function keep(samples: number[], sample: number): void {
  if (samples.push(sample) > STREAMS) samples.shift();
}

const mean = (samples: readonly number[]): number | null =>
  samples.length === 0 ? null : samples.reduce((sum, sample) => sum + sample, 0) / samples.length;

const latest = (samples: readonly number[]): number | null => (samples.length === 0 ? null : Math.max(...samples));

/** The mean of the middle half: no single one moves it far, and where they differ the sum of what is estimated by it is right. */
function middle(samples: readonly (number | null)[]): number | null {
  const known = samples.filter((sample) => sample !== null).toSorted((a, b) => a - b);
  const cut = known.length < 3 ? 0 : Math.max(1, known.length >> 2);
  return mean(known.slice(cut, known.length - cut));
}

const perSecond = (ms: number | null): number | null => ms && 1_000 / ms;
const atMost = (most: number, value: number | null): number | null => value && Math.min(most, value);
