import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Habit, ProviderCall } from "./habit.ts";
import { choicesOf, type Counts, pieceOf, promptOf, type Telling, WORD, type Writer } from "./writer.ts";

type Telled = { telling: Telling; writer: Writer; call: ProviderCall; response: ServerResponse };

/** Produces an answer at the pace of its habit and writes down every token as it is made. */
export async function answerCall(parts: Telled): Promise<void> {
  const { telling, call, response } = parts;
  const { habit, body } = telling;
  const gone = new AbortController();
  response.on("error", () => undefined);
  response.once("close", () => {
    call.ended ??= response.writableFinished ? "completed" : "stopped";
    gone.abort();
  });
  if (habit.startMs > 0) await sleep(habit.startMs, undefined, { signal: gone.signal }).catch(() => undefined);
  if (call.ended !== null) return;
  if (habit.refuse !== null) return refuse(parts, habit.refuse);
  await (body["stream"] === true ? stream(parts, gone.signal) : whole(parts, gone.signal));
}

function refuse({ call, response, telling }: Telled, { status, body }: NonNullable<Habit["refuse"]>): void {
  call.ended = "failed";
  call.inputTokens = 0;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body).replaceAll("%PROMPT%", JSON.stringify(promptOf(telling.body)).slice(1, -1)));
}

async function stream({ telling, writer, call, response }: Telled, gone: AbortSignal): Promise<void> {
  const { habit, body } = telling;
  const choices = choicesOf(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(writer.opening(telling, countsOf(call)));
  let said = 0;
  const finished = await produce({
    telling,
    call,
    gone,
    say: (words) => {
      if (said === 0) response.write(writer.begin(telling));
      said += words;
      const text = WORD.repeat(words);
      for (let choice = 0; choice < choices; choice += 1)
        response.write(pieceOf(writer, { telling, text, choice, counts: countsOf(call) }));
    },
  });
  if (!finished) return;
  if (habit.fail !== null) return fail({ telling, writer, call, response });
  call.ended = "completed";
  response.end(writer.closing(telling, countsOf(call), WORD.repeat(said)));
}

async function whole({ telling, writer, call, response }: Telled, gone: AbortSignal): Promise<void> {
  let said = 0;
  const finished = await produce({ telling, call, gone, say: (words) => void (said += words) });
  if (!finished) return;
  if (telling.habit.fail !== null) return fail({ telling, writer, call, response });
  call.ended = "completed";
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(writer.whole(telling, countsOf(call), WORD.repeat(said))));
}

function fail({ telling, writer, call, response }: Telled): void {
  call.ended = "failed";
  const how = telling.habit.fail?.how;
  if (how === "reset") response.socket?.resetAndDestroy();
  else if (how === "close" || how === undefined) response.socket?.end();
  else if (telling.body["stream"] === true) response.end(writer.failure(telling, how));
  else response.writeHead(400, { "content-type": "application/json" }).end(writer.failure(telling, how));
}

/** One look at the clock; long enough to be cheap, short enough that a stop is noticed within a token or two. */
const TICK_MS = 4;

type Production = { telling: Telling; call: ProviderCall; gone: AbortSignal; say: (words: number) => void };

/** False when the caller left first. Every choice of a request costs its own tokens. */
async function produce({ telling, call, gone, say }: Production): Promise<boolean> {
  const { habit, body } = telling;
  const choices = choicesOf(body);
  const limit = limitOf(telling);
  const hidden = Math.min(habit.hidden, limit);
  const visible = Math.min(habit.tokens, limit - hidden, habit.fail?.after ?? Infinity);
  const startedMs = performance.now();
  let made = 0;
  while (made < hidden + visible) {
    if (gone.aborted) return false;
    const due =
      habit.rate === 0 ? made + habit.burst : Math.floor(((performance.now() - startedMs) / 1_000) * habit.rate);
    const next = Math.min(due, hidden + visible, hidden + (habit.holdAfter ?? Infinity));
    const words = Math.max(0, next - hidden) - Math.max(0, made - hidden);
    made = Math.max(made, next);
    call.hiddenTokens = Math.min(made, hidden);
    call.visibleTokens = Math.max(0, made - hidden) * choices;
    if (words > 0) say(words);
    await (habit.rate === 0 ? immediately() : sleep(TICK_MS));
  }
  return !gone.aborted;
}

const immediately = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function limitOf({ body, habit }: Telling): number {
  if (habit.limitless) return Infinity;
  const limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"].map((name) => body[name]);
  return Math.min(...limits.map((limit) => (typeof limit === "number" ? limit : Infinity)));
}

const countsOf = ({ inputTokens, visibleTokens, hiddenTokens }: ProviderCall): Counts => ({
  input: inputTokens,
  visible: visibleTokens,
  hidden: hiddenTokens,
});
