import type { Stretch, StreamEncoder } from "../dialect.ts";
import type { Outlet } from "./outlet.ts";
import type { Script } from "../plan/script.ts";

type Action = "break_json" | "pause" | "fail" | "next_stretch" | "end";
type Stop = { afterTokens: number; action: Action };

type ProducerParts = { outlet: Outlet; encoder: StreamEncoder; script: Script };

/** Events gathered into one write; large enough to be cheap, small enough that one stream does not starve the others. */
const BATCH_CHARACTERS = 16 * 1024;
/** Between two looks at how far secret thoughts have come. */
const THOUGHT_MS = 5;

/** Sends one stream: tokens at their pace, up to the next place where the script wants something to happen. */
export class StreamProducer {
  readonly #outlet: Outlet;
  readonly #encoder: StreamEncoder;
  readonly #script: Script;
  readonly #stops: readonly Stop[];
  #nextStop = 0;
  #sent = 0;
  #place = 0;
  /** Tokens sent before the stretch that is being sent. */
  #sentBefore = 0;
  #startedAtMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ outlet, encoder, script }: ProducerParts) {
    this.#outlet = outlet;
    this.#encoder = encoder;
    this.#script = script;
    this.#stops = stopsOf(script, encoder.stretches);
    outlet.whenGone(() => clearTimeout(this.#timer));
  }

  /** Begins the body; the head has been sent. */
  start(): void {
    this.#sendAll(this.#encoder.opening());
    this.#think(() => {
      this.#startedAtMs = this.#outlet.clock.elapsedMs();
      this.#sendAll(this.#firstWords());
      this.#advance();
    });
  }

  /** Thoughts that nobody is shown take their time, and count as produced when they have been thought. */
  #think(next: () => void): void {
    const { secretTokens, tokensPerSecond } = this.#script;
    const { call, clock } = this.#outlet;
    const beganAtMs = clock.elapsedMs();
    const think = (): void => {
      const elapsedMs = clock.elapsedMs() - beganAtMs;
      const due = tokensPerSecond === 0 ? secretTokens : Math.floor((elapsedMs * tokensPerSecond) / 1_000);
      call.tokensProduced = Math.min(secretTokens, due);
      if (call.tokensProduced === secretTokens) next();
      else this.#timer = setTimeout(think, THOUGHT_MS);
    };
    think();
  }

  readonly #advance = (): void => {
    while (this.#outlet.open) {
      const stop = this.#stops[this.#nextStop];
      if (!stop) return;
      if (this.#sent < stop.afterTokens) {
        const due = Math.min(stop.afterTokens, this.#dueTokens());
        if (due <= this.#sent) return this.#waitForNextToken();
        if (!this.#sendTokens(due)) return this.#outlet.drained(this.#advance);
        if (this.#script.flush === "each" && this.#sent < stop.afterTokens) return void setImmediate(this.#advance);
        continue;
      }
      this.#nextStop += 1;
      return this.#act(stop.action);
    }
  };

  /** With `flush=each` one event per turn of the loop, so that each is its own write to the socket. */
  #sendTokens(until: number): boolean {
    const stretch = this.#encoder.stretches[this.#place];
    if (stretch === undefined) return true;
    const { token } = stretch;
    const from = this.#sent - this.#sentBefore;
    const end = until - this.#sentBefore;
    let next = from;
    let events = 0;
    let text = "";
    do {
      const event = token(next++);
      if (event !== "") events += 1;
      text += event;
    } while (this.#script.flush === "batch" && next < end && text.length < BATCH_CHARACTERS);
    const count = next - from;
    this.#sent += count;
    this.#outlet.call.tokensProduced += count;
    return events === 0 || this.#outlet.write(text, events);
  }

  #dueTokens(): number {
    const { tokensPerSecond } = this.#script;
    if (tokensPerSecond === 0) return Number.POSITIVE_INFINITY;
    const elapsedMs = this.#outlet.clock.elapsedMs() - this.#startedAtMs;
    // The first token is due at once: the time to it has already passed.
    return Math.floor((elapsedMs * tokensPerSecond) / 1000) + 1;
  }

  #waitForNextToken(): void {
    const dueAtMs = this.#startedAtMs + (this.#sent * 1000) / this.#script.tokensPerSecond;
    this.#timer = setTimeout(this.#advance, Math.max(1, Math.ceil(dueAtMs - this.#outlet.clock.elapsedMs())));
  }

  #act(action: Action): void {
    switch (action) {
      case "break_json":
        this.#outlet.write(this.#encoder.broken, 1);
        this.#advance();
        break;
      case "pause":
        this.#pause();
        break;
      case "fail":
        this.#fail();
        break;
      case "next_stretch":
        this.#turn();
        this.#advance();
        break;
      case "end":
        this.#sendAll([...this.#lastWords(), ...this.#encoder.closing()]);
        this.#outlet.end();
        break;
    }
  }

  /** From one stretch to the next: the end of its blocks and the beginning of others. */
  #turn(): void {
    const ended = this.#lastWords();
    this.#place += 1;
    this.#sentBefore = this.#sent;
    this.#sendAll([...ended, ...this.#firstWords()]);
  }

  #firstWords(): readonly string[] {
    return this.#encoder.stretches[this.#place]?.before() ?? [];
  }

  #lastWords(): readonly string[] {
    return this.#encoder.stretches[this.#place]?.after() ?? [];
  }

  #pause(): void {
    const { clock } = this.#outlet;
    const pausedAtMs = clock.elapsedMs();
    this.#outlet.pause(() => {
      // The pause is not made up for: the pace goes on from where it stood.
      this.#startedAtMs += clock.elapsedMs() - pausedAtMs;
      this.#advance();
    });
  }

  #fail(): void {
    switch (this.#script.interruption?.kind) {
      case "error":
        return this.#outlet.fail(this.#encoder.failure(), 1);
      case "reset":
        return this.#outlet.reset();
      case "close":
        return this.#outlet.fail();
      case "hang":
      case undefined:
    }
  }

  #sendAll(events: readonly string[]): void {
    if (this.#script.flush === "each") for (const event of events) this.#outlet.write(event, 1);
    else if (events.length > 0) this.#outlet.write(events.join(""), events.length);
  }
}

/** In the order of their places; at the same place in the order written here. The end is always the last. */
function stopsOf(script: Script, stretches: readonly Stretch[]): Stop[] {
  const ends: number[] = [];
  for (const { tokens } of stretches) ends.push((ends.at(-1) ?? 0) + tokens);
  const last = ends.pop() ?? 0;
  const places: [number | null | undefined, Action][] = [
    [script.malformedAfterTokens, "break_json"],
    [script.pauseAfterTokens, "pause"],
    [script.interruption?.afterTokens, "fail"],
    ...ends.map((end): [number, Action] => [end, "next_stretch"]),
    [last, "end"],
  ];
  const stops = places.flatMap(([afterTokens, action]) =>
    typeof afterTokens === "number" && afterTokens <= last ? [{ afterTokens, action }] : [],
  );
  return stops.sort((left, right) => left.afterTokens - right.afterTokens);
}
