import { describe, expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../../../core/money/usage.ts";
import { RoutePace } from "../../../upstream/route/route-pace.ts";
import type { GenerationState } from "../generation.ts";
import { watchPace } from "./watch-pace.ts";

/**
 * Streams as providers send them, cut anywhere. Paces and times to a first token lie about their medians as in published measurements of
 * hosted models, and further apart than these: one in three paces is more than 30 % off, one in three first tokens more than 50 %.
 */
const TYPICAL = { tokensPerSecond: 80, firstTokenMs: 600 };
const SPREAD = { pace: Math.log(1.3), firstToken: Math.log(1.5), thoughts: 1, answer: 0.8 };
const BYTES_PER_TOKEN = 4;
const CASES = 10_000;
const PAYERS = 20;

const BODY = Buffer.from('{"thinking":{}}');
const THINKING = { name: "thinking", valueStart: 12, valueEnd: 14 };

type Stream = { payer: string; ttftMs: number; msPerToken: number; hidden: number; visible: number; piece: number };
type Event = { atMs: number; seen: number };

function chance(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return { next, about: (median: number, spread: number) => median * Math.exp(spread * normal()) };
}

function aStream({ next, about }: ReturnType<typeof chance>, thinks: "yes" | "no"): Stream {
  return {
    payer: `payer ${Math.floor(next() * PAYERS)}`,
    ttftMs: about(TYPICAL.firstTokenMs, SPREAD.firstToken),
    msPerToken: 1_000 / about(TYPICAL.tokensPerSecond, SPREAD.pace),
    hidden: thinks === "yes" ? Math.ceil(about(600, SPREAD.thoughts)) : 0,
    visible: Math.ceil(about(200, SPREAD.answer)),
    piece: 1 + Math.floor(next() * 8),
  };
}

function* eventsOf({ ttftMs, msPerToken, hidden, visible, piece }: Stream): Generator<Event> {
  for (let seen = 0; seen < visible;) {
    seen = Math.min(visible, seen + piece);
    yield { atMs: ttftMs + (hidden + seen) * msPerToken, seen };
  }
}

const lastsMs = ({ ttftMs, msPerToken, hidden, visible }: Stream): number => ttftMs + (hidden + visible) * msPerToken;

/** A model behind one route. Providers of messages do not count what was thought apart. */
function aRoute(capabilities: object = {}, dialect: "chat" | "messages" = "chat") {
  const pace = new RoutePace();

  function watch(payer: string) {
    const state = {
      generation: {
        request: { choices: 1, dialect, bytes: BODY, members: { list: [THINKING] } },
        caller: { key: { payer } },
      },
      model: { capabilities },
      clock: { elapsedMs: () => 0 },
      paceOf: () => pace.value(),
    };
    return watchPace(state as unknown as GenerationState, { dialect } as never);
  }
  const seenAs = (seen: number) => {
    const length = seen * BYTES_PER_TOKEN;
    return { length, thoughtBytes: 0, answerBytes: length };
  };

  return {
    pace,
    complete: (stream: Stream, said: Partial<Usage> = {}): void => {
      const watched = watch(stream.payer);
      for (const { atMs, seen } of eventsOf(stream)) watched.note(seenAs(seen), atMs, 0);
      const usage = {
        ...NO_USAGE,
        outputTokens: stream.hidden + stream.visible,
        reasoningTokens: dialect === "chat" ? stream.hidden : 0,
        ...said,
      };
      const sample = watched.sample(seenAs(stream.visible), { outcome: "completed", usage, pausedMs: 0 });
      if (sample !== null) pace.add(sample);
    },
    /** What is charged for a stream that ends at this moment, and what had been produced and read by then. */
    cut: (stream: Stream, atMs: number): { charged: number; produced: number; read: number } => {
      const watched = watch(stream.payer);
      let read = 0;
      for (const event of eventsOf(stream)) {
        if (event.atMs > atMs) break;
        read = event.seen;
        watched.note(seenAs(read), event.atMs, 0);
      }
      const produced = Math.max(read, Math.floor((atMs - stream.ttftMs) / stream.msPerToken));
      const aborted = watched.sample(seenAs(read), { outcome: "client_gone", usage: null, pausedMs: 0 });
      expect(aborted).toBeNull();
      return { charged: read + watched.hiddenTokens(atMs, 0), produced, read };
    },
  };
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? NaN;

describe("over 10,000 simulated streams, cut at random", () => {
  test("a model that is not known to reason is charged what was read, however long it is silent [CAN-16]", () => {
    const random = chance(1);
    const route = aRoute();
    for (let index = 0; index < CASES; index++) {
      const stream = aStream(random, "no");
      // Now and then a prompt takes a minute to read, and a provider hangs.
      if (index % 10 === 0) stream.ttftMs *= 100;
      const { charged, read } = route.cut(stream, random.next() * lastsMs(stream) * 1.5);
      expect(charged).toBe(read);
      if (index % 3 === 0) route.complete(aStream(random, "no"));
    }
  });

  test.each(["chat", "messages"] as const)(
    "what a model thought unseen is charged, and in sum within 5 percent (%s) [CAN-16]",
    (dialect) => {
      const random = chance(2);
      const route = aRoute({ reasoning: true }, dialect);
      for (let index = 0; index < 40; index++) route.complete(aStream(random, index % 4 === 0 ? "no" : "yes"));
      const errors: number[] = [];
      let [charged, produced] = [0, 0];
      for (let index = 0; index < CASES; index++) {
        const stream = aStream(random, "yes");
        const cut = route.cut(stream, random.next() * lastsMs(stream));
        charged += cut.charged;
        produced += cut.produced;
        if (cut.produced > 0) errors.push(cut.charged / cut.produced - 1);
        if (index % 3 === 0) route.complete(aStream(random, index % 4 === 0 ? "no" : "yes"));
      }
      expect(charged / produced).toBeGreaterThan(0.95);
      expect(charged / produced).toBeLessThanOrEqual(1);
      expect(quantile(errors, 0.5)).toBeLessThan(0.02);
      expect(quantile(errors, 0.95)).toBeLessThan(0.7);
    },
  );

  test("a model that is known to reason and did not is charged what was read, in sum [CAN-16]", () => {
    const random = chance(3);
    const route = aRoute({ reasoning: true });
    let [charged, read, over] = [0, 0, 0];
    for (let index = 0; index < CASES; index++) {
      const stream = aStream(random, "no");
      const cut = route.cut(stream, random.next() * lastsMs(stream));
      charged += cut.charged;
      read += cut.read;
      if (cut.charged > cut.read * 1.02) over++;
      if (index % 3 === 0) route.complete(aStream(random, index % 2 === 0 ? "no" : "yes"));
    }
    expect(charged / read).toBeLessThan(1.02);
    expect(over / CASES).toBeLessThan(0.05);
  });

  test("who shapes 500 streams moves nobody's estimate by more than 5 % [CAN-16]", () => {
    const shapes: Partial<Stream>[] = [
      { msPerToken: 1_000, hidden: 0, visible: 40 },
      { msPerToken: 1_000, hidden: 70, visible: 1 },
      { msPerToken: 0.01, hidden: 5_000, visible: 20 },
      { ttftMs: 60_000, hidden: 0, visible: 20 },
      { ttftMs: 60_000, hidden: 100, visible: 20 },
      { ttftMs: 0, hidden: 0, visible: 5_000, piece: 5_000 },
    ];
    let worst = 0;
    for (const shape of shapes) {
      const random = chance(4);
      const route = aRoute({ reasoning: true });
      for (let index = 0; index < 200; index++) route.complete(aStream(random, index % 4 === 0 ? "no" : "yes"));
      const probes = Array.from({ length: 2_000 }, () => aStream(random, "yes"));
      const estimates = (): Map<string, number> => {
        const sums = new Map<string, number>();
        for (const stream of probes) {
          const { charged } = route.cut(stream, stream.ttftMs + (stream.hidden + 1) * stream.msPerToken);
          sums.set(stream.payer, (sums.get(stream.payer) ?? 0) + charged);
        }
        return sums;
      };
      const before = estimates();
      for (let index = 0; index < 500; index++) {
        route.complete({ ...aStream(random, "yes"), ...shape, payer: "attacker" });
        route.cut({ ...aStream(random, "yes"), ...shape, payer: "attacker" }, 3_000);
      }
      for (const [payer, after] of estimates()) {
        worst = Math.max(worst, Math.abs(after / (before.get(payer) ?? NaN) - 1));
      }
    }
    expect(worst).toBeLessThan(0.05);
  });
});

test("more tokens than text is no sign of thoughts where a provider counts these apart, as with a prediction that failed", () => {
  const stream = { payer: "ann", ttftMs: 100, msPerToken: 10, hidden: 0, visible: 100, piece: 1 };
  const chat = aRoute();
  chat.complete(stream, { outputTokens: 5_000, reasoningTokens: 0 });
  expect(chat.pace.value()).toMatchObject({ thinks: { told: false }, tokensPerSecond: 60 });

  const messages = aRoute({}, "messages");
  messages.complete(stream, { outputTokens: 5_000 });
  expect(messages.pace.value()).toMatchObject({ thinks: { told: true } });
});
