import { NO_PAYER } from "../core/money/payer.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ByteReader, ByteStream } from "../core/bytes/byte-stream.ts";
import { systemClock } from "../core/clock.ts";
import type { Sink } from "../core/request/sink.ts";
import { type AnswerStage, DROP, PASS, TERMINAL, type Verdict } from "../translate/answer-stage.ts";
import { chatUntouched } from "../translate/chat/untouched.ts";
import { createRelay, type Relayed } from "./relay.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const LIMITS = { deadlineMs: 5_000, keepAliveMs: 1_000, maxEventBytes: 1_024 };
const KEEP_ALIVE = ": keep-alive\n\n";
const DONE = "data: [DONE]\n\n";
const HEAD = { status: 200, headers: { "content-type": "text/event-stream" } };
const event = (content: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;

/** A provider in the hands of the test. `early` is there before anybody reads. */
function handMadeBody(early: string | null) {
  const log: string[] = [];
  let reader: ByteReader | null = null;
  const body: ByteStream = {
    read: (given) => {
      reader = given;
      if (early !== null) given.chunk(Buffer.from(early));
    },
    pause: () => log.push("pause"),
    resume: () => log.push("resume"),
    cancel: () => log.push("cancel"),
  };
  return {
    body,
    log,
    send: (text: string) => reader?.chunk(Buffer.from(text)),
    end: () => reader?.end(),
    fail: () => reader?.fail(new Error("reset")),
  };
}

/** A caller in the hands of the test. */
function handMadeSink() {
  const written: string[] = [];
  let gone: (() => void) | null = null;
  let drained: (() => void) | null = null;
  const state = { slow: false, isGone: false, begun: 0 };
  const sink: Sink = {
    isGone: () => state.isGone,
    onGone: (callback) => {
      gone = callback;
      if (state.isGone) callback();
    },
    begin: () => state.begun++,
    write: (bytes) => {
      written.push(bytes.toString());
      return !state.slow;
    },
    onDrained: (callback) => (drained = callback),
    end: () => undefined,
  };
  return { sink, written, state, leave: () => gone?.(), drain: () => drained?.() };
}

type Opening = {
  startedAtMs?: number;
  requestBytes?: number;
  goneBefore?: "yes" | "no";
  stage?: Partial<AnswerStage>;
  early?: string | null;
  limits?: typeof LIMITS;
};

function open({
  startedAtMs = systemClock.elapsedMs(),
  requestBytes = 0,
  goneBefore = "no",
  stage: changes = {},
  early = null,
  limits = LIMITS,
}: Opening = {}) {
  const provider = handMadeBody(early);
  const caller = handMadeSink();
  caller.state.isGone = goneBefore === "yes";
  const onFirstByte = vi.fn<() => void>();
  const bytes = Buffer.from("{}");
  const made = chatUntouched.stage({
    dialect: "chat",
    payer: NO_PAYER,
    model: "m",
    stream: true,
    maxOutputTokens: null,
    maxOutputTokensField: "max_tokens",
    choices: 1,
    tier: "default",
    tierField: "service_tier",
    forwardedHeaders: {},
    wantsUsageEvent: false,
    bytes,
    members: { list: [], duplicate: null },
    unknown: { listed: [], more: false },
    cacheMarks: [],
    edits: {},
  });
  const relay = createRelay({ limits, clock: systemClock });
  let relayed: Relayed | null = null;
  const ended = relay({
    body: provider.body,
    stage: { ...made, ...changes },
    sink: caller.sink,
    head: HEAD,
    startedAtMs,
    requestBytes,
    onFirstByte,
    onProgress: () => undefined,
  }).then((result) => (relayed = result));
  return { provider, caller, onFirstByte, ended, result: () => relayed };
}

test("whole events pass as they come, and the terminal event is kept back for the settlement [STR-10] [STR-17]", async () => {
  const { provider, caller, ended, onFirstByte } = open();
  provider.send(event("a"));
  expect(caller.written).toEqual([event("a")]);
  provider.send(event("b") + event("c") + DONE);

  expect(await ended).toMatchObject({
    outcome: "completed",
    begun: true,
    bytesOut: event("abc").length + 2 * event("").length,
  });
  expect(caller.written.join("")).toBe(event("a") + event("b") + event("c"));
  expect((await ended)?.terminal?.toString()).toBe(DONE);
  expect(onFirstByte).toHaveBeenCalledTimes(1);
  expect(provider.log).toEqual([]);
});

test("the events of one read leave in one write, in their order, whatever became of each", async () => {
  const verdicts: Verdict[] = [PASS, PASS, Buffer.from("data: written\n\n"), DROP, PASS];
  const stage = { event: () => verdicts.shift() ?? TERMINAL };
  const { provider, caller, ended } = open({ stage });
  provider.send(["a", "b", "c", "d", "e", "f"].map(event).join(""));
  provider.end();
  await ended;

  expect(caller.written).toEqual([`${event("a")}${event("b")}data: written\n\n${event("e")}`]);
});

test("what came in the same read before an event that cannot be read is passed on", async () => {
  const verdicts: Verdict[] = [PASS, Buffer.from("data: written\n\n")];
  const stage = {
    event: () => {
      const verdict = verdicts.shift();
      if (verdict === undefined) throw new Error("cannot be read");
      return verdict;
    },
  };
  const { provider, caller, ended } = open({ stage });
  provider.send(event("a") + event("b") + event("c"));

  expect(await ended).toMatchObject({ outcome: "limited", begun: true });
  expect(caller.written).toEqual([`${event("a")}data: written\n\n`]);
});

test("an event that arrives in pieces is passed on whole, and nothing after the end is passed on", async () => {
  const { provider, caller, ended } = open();
  const text = event("é") + DONE + event("late");
  for (const byte of Buffer.from(text)) provider.send(Buffer.from([byte]).toString("latin1"));
  await ended;

  expect(caller.written).toHaveLength(1);
});

test("a provider that goes on after its end is cut off, by the amount or by the time of it", async () => {
  const pouring = open();
  pouring.provider.send(event("a") + DONE);
  await pouring.ended;
  pouring.provider.send(": bye\n\n");
  expect(pouring.provider.log).toEqual([]);
  pouring.provider.send("x".repeat(70_000));
  expect(pouring.provider.log).toEqual(["cancel"]);

  const dripping = open();
  dripping.provider.send(event("a") + DONE);
  await dripping.ended;
  vi.advanceTimersByTime(6_000);
  dripping.provider.send(": still here\n\n");
  expect(dripping.provider.log).toEqual(["cancel"]);
});

test("a provider is paused when the caller is slow, once, and goes on when it has caught up [STR-31]", async () => {
  const { provider, caller, ended } = open();
  caller.state.slow = true;
  provider.send(event("a"));
  provider.send(event("b"));
  expect(provider.log).toEqual(["pause"]);

  caller.state.slow = false;
  caller.drain();
  expect(provider.log).toEqual(["pause", "resume"]);
  caller.drain();
  expect(provider.log).toEqual(["pause", "resume"]);
  provider.send(DONE);
  expect(await ended).toMatchObject({ outcome: "completed" });
});

test("after a long piece everybody else has a turn before the next, and a slow caller is still waited for", async () => {
  const { provider, caller } = open({ requestBytes: 100_000 });
  const long = event("x".repeat(20_000));

  provider.send(long);
  expect(provider.log).toEqual(["pause"]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(provider.log).toEqual(["pause", "resume"]);

  caller.state.slow = true;
  provider.send(long);
  await new Promise((resolve) => setImmediate(resolve));
  expect(provider.log.slice(2)).not.toContain("resume");
  caller.drain();
  expect(provider.log.at(-1)).toBe("resume");
});

test("a provider paused at its end is let go on, so that its connection can be used again", async () => {
  const { provider, caller, ended } = open();
  caller.state.slow = true;
  provider.send(event("a") + DONE);

  expect(await ended).toMatchObject({ outcome: "completed" });
  expect(provider.log).toEqual(["pause", "resume"]);
});

test("a caller that leaves stops the provider at once [CAN-2]", async () => {
  const { provider, caller, ended } = open();
  provider.send(event("a"));
  caller.leave();

  expect(provider.log).toEqual(["cancel"]);
  expect(await ended).toMatchObject({ outcome: "client_gone", begun: true, terminal: null });
  provider.send(event("b"));
  expect(caller.written).toEqual([event("a")]);
});

test("a caller that had already left is not read for", async () => {
  const { provider, caller, ended } = open({ goneBefore: "yes" });

  expect(await ended).toMatchObject({ outcome: "client_gone", begun: false, bytesOut: 0 });
  expect(provider.log).toEqual(["cancel"]);
  expect(caller.written).toEqual([]);
});

test("signs of life come in silence, one per interval, and only between events [STR-33] [STR-35]", async () => {
  const { provider, caller, ended } = open();
  provider.send(event("a"));
  provider.send('data: {"choices":[');
  vi.advanceTimersByTime(2_100);
  expect(caller.written).toEqual([event("a"), KEEP_ALIVE, KEEP_ALIVE]);

  provider.send("]}\n\n");
  vi.advanceTimersByTime(900);
  expect(caller.written.at(-1)).toBe('data: {"choices":[]}\n\n');
  provider.send(DONE);
  await ended;
  vi.advanceTimersByTime(10_000);
  expect(caller.written.filter((text) => text === KEEP_ALIVE)).toHaveLength(2);
});

test("no sign of life comes where keep-alives are turned off [STR-33]", async () => {
  const { provider, caller, ended } = open({ limits: { ...LIMITS, keepAliveMs: 0 } });
  provider.send(event("a"));
  vi.advanceTimersByTime(4_000);
  expect(caller.written).toEqual([event("a")]);
  provider.send(DONE);
  await ended;

  expect(vi.getTimerCount()).toBe(0);
});

test("silence counts from the last event, not from the last sign of life or the beginning [STR-33]", async () => {
  const { provider, caller, ended } = open();
  provider.send(event("a"));
  vi.advanceTimersByTime(600);
  provider.send(event("b"));
  vi.advanceTimersByTime(990);
  expect(caller.written).toEqual([event("a"), event("b")]);
  vi.advanceTimersByTime(20);
  expect(caller.written.at(-1)).toBe(KEEP_ALIVE);
  provider.send(event("c"));
  vi.advanceTimersByTime(990);
  expect(caller.written.filter((text) => text === KEEP_ALIVE)).toHaveLength(1);
  provider.send(DONE);
  await ended;

  expect(vi.getTimerCount()).toBe(0);
});

test("a stream ends at the deadline, counted from the arrival of the request [STR-13]", async () => {
  const { provider, result, ended } = open({ startedAtMs: systemClock.elapsedMs() - 3_000 });
  provider.send(event("a"));
  await vi.advanceTimersByTimeAsync(1_990);
  expect(result()).toBeNull();
  await vi.advanceTimersByTimeAsync(20);

  expect(await ended).toMatchObject({ outcome: "timed_out", begun: true, terminal: null });
  expect(provider.log).toEqual(["cancel"]);
});

test("a provider that fails before content leaves the caller untouched, so that the refusal can have a status [ORD-14]", async () => {
  const { provider, caller, ended, onFirstByte } = open();
  provider.fail();

  expect(await ended).toMatchObject({ outcome: "upstream_failed", begun: false, bytesOut: 0 });
  expect(caller.state.begun).toBe(0);
  expect(onFirstByte).not.toHaveBeenCalled();
});

test.each<[name: string, last: (provider: ReturnType<typeof handMadeBody>) => void]>([
  ["closes early", (provider) => provider.end()],
  ["is cut off", (provider) => provider.fail()],
  ["sends an error", (provider) => provider.send('data: {"error":{"message":"x"}}\n\n')],
  ["closes within an event", (provider) => (provider.send("data: [DONE]"), provider.end())],
])(
  "a provider that %s after content has failed, and its answer is never called whole [STR-23]",
  async (_name, last) => {
    const { provider, caller, ended } = open();
    provider.send(event("a"));
    last(provider);

    expect(await ended).toMatchObject({ outcome: "upstream_failed", begun: true, terminal: null });
    expect(caller.written).toEqual([event("a")]);
    expect(provider.log).toEqual(["cancel"]);
  },
);

test("an event that grows past the limit is a limit of ours, not memory, and the caller can be told which", async () => {
  const { provider, ended } = open();
  provider.send(`data: ${"x".repeat(LIMITS.maxEventBytes)}`);

  expect(await ended).toMatchObject({ outcome: "limited", begun: false });
  expect((await ended)?.limit?.message).toContain("more than 1,024 bytes");
  expect(provider.log).toEqual(["cancel"]);
});

test("an event may repeat the request, however long that was, escapes and all", async () => {
  const { provider, ended } = open({ requestBytes: 1_000 });
  provider.send(`data: ${"x".repeat(4_000)}`);
  provider.send(`\n\n${DONE}`);

  expect(await ended).toMatchObject({ outcome: "completed" });
});

test("an event that cannot be digested ends its own stream, as a limit of ours once the answer has begun [STR-23]", async () => {
  let events = 0;
  const second: AnswerStage["event"] = () => (++events === 1 ? PASS : overflow());
  for (const stage of [{ event: second }, { close: overflow }]) {
    const { provider, ended } = open({ stage });
    provider.send(event("a"));
    provider.send(event("b"));
    provider.end();

    expect(await ended).toMatchObject({ outcome: "limited", begun: true, terminal: null });
    expect(provider.log).toEqual(["cancel"]);
    expect(vi.getTimerCount()).toBe(0);
  }
});

test.each([
  ["there already", event("a")],
  ["yet to come", null],
])(
  "an event %s that cannot be digested before anything was sent is a bug of its request alone",
  async (_when, early) => {
    const { provider, caller, ended } = open({ stage: { event: overflow }, early });
    provider.send(event("b"));

    await expect(ended).rejects.toThrow("call stack");
    expect(provider.log).toEqual(["cancel"]);
    vi.advanceTimersByTime(60_000);
    expect(caller.written).toEqual([]);
    expect(caller.state.begun).toBe(0);
  },
);

function overflow(): never {
  throw new RangeError("Maximum call stack size exceeded");
}
