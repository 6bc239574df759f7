import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { cases } from "../../../tests/support/cases.ts";
import { recordings, sharedFolder } from "../../../tests/support/recordings.ts";
import { bodyOf, type Relayed, relayAnswer, relayBody } from "../../../tests/translation/relay-answer.ts";
import type { ByteReader, ByteStream } from "../../core/bytes/byte-stream.ts";
import { writeFrame } from "../../wire/event-stream/frame.ts";
import { readRefused, type RefusalKind } from "../refusal/provider-error.ts";
import { readBeginning } from "../refusal/read-beginning.ts";
import { type UpstreamAnswer, UpstreamError } from "../upstream.ts";
import type { FrameReader } from "./frame-reader.ts";
import { createInvokeFrames } from "./invoke-frames.ts";
import { createNamedFrames } from "./named-frames.ts";
import { createUnframe } from "./unframe.ts";

const HEADERS = { "content-type": "application/vnd.amazon.eventstream" };
const SINK = { onGone: () => undefined };
const MOST = { maxBytes: 10_000_000, timeoutMs: 1_000 };

const answer = (body: ByteStream): UpstreamAnswer => ({ status: 200, headers: HEADERS, body });
const unframed = (createReader: () => FrameReader, chunks: readonly Buffer[]): Promise<UpstreamAnswer> =>
  createUnframe(createReader)(answer(bodyOf(chunks)), SINK);

/** What is read of a stream, and how it ended. */
async function readAll({ body }: UpstreamAnswer): Promise<{ text: string; ending: string }> {
  const chunks: Buffer[] = [];
  const ending = await new Promise<string>((resolve) =>
    body.read({
      chunk: (bytes) => chunks.push(bytes),
      end: () => resolve("whole"),
      fail: (error) => resolve((error as UpstreamError).reason),
    }),
  );
  return { text: Buffer.concat(chunks).toString(), ending };
}

const chunk = (event: unknown): Buffer => {
  const bytes = Buffer.from(typeof event === "string" ? event : JSON.stringify(event)).toString("base64");
  return writeFrame(
    { ":message-type": "event", ":event-type": "chunk" },
    Buffer.from(JSON.stringify({ bytes, p: "abc" })),
  );
};
const exception = (type: string, message = "No."): Buffer =>
  writeFrame({ ":message-type": "exception", ":exception-type": type }, Buffer.from(JSON.stringify({ message })));

const START = { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } };
const TEXT = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } };
const DELTA = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } };
const STOP = { type: "message_stop" };

const folder = join(sharedFolder() ?? "", "recordings/clouds/bedrock-invoke");
const recorded = (name: string): Buffer => readFileSync(join(folder, name));
const files = sharedFolder() === null ? [] : readdirSync(folder);
const MESSAGES = { client: "messages", provider: "messages", route: "normalised" } as const;
const TRANSLATED = { client: "chat", provider: "messages", route: "translated" } as const;

type Played = [input: number, output: number] | "failed" | "none";
const PLAYED: Record<string, Played> = {
  "agentgateway-nova-invoke.bin": "none",
  "made-anthropic-clear-thinking.1.bin": [69, 53],
  "made-anthropic-error-event.bin": "failed",
  "made-anthropic-json-tool.1.bin": [849, 47],
  "made-anthropic-message-delta-input-tokens.bin": [61, 2],
  "made-anthropic-refusal.bin": [18, 5],
  "made-anthropic-text.bin": [12, 30],
  "made-anthropic-tool-no-args.bin": [565, 48],
  "made-exception-mid-stream.bin": "failed",
};

test.skipIf(files.length === 0)("every recorded stream of InvokeModel has an expectation", () => {
  expect(files.filter((name) => name.endsWith(".bin")).toSorted()).toEqual(Object.keys(PLAYED).toSorted());
});

test.skipIf(files.length === 0).each(Object.entries(PLAYED))(
  "%s is relayed with its tokens, or fails",
  async (name, played) => {
    for (const pair of [MESSAGES, { ...MESSAGES, route: "untouched" } as const, TRANSLATED]) {
      const begun = await unframed(createInvokeFrames, [recorded(name)]).catch((error: unknown) => error);
      if (played === "none") {
        expect(begun).toBeInstanceOf(UpstreamError);
        continue;
      }
      const relayed = await relayBody(pair, (begun as UpstreamAnswer).body);

      expect(told(relayed)).toEqual(played);
      expect(relayed.text).not.toMatch(/amazon-bedrock|"p":|base64/);
    }
  },
);

const told = ({ outcome, usage }: Relayed): Played =>
  outcome === "completed" ? [usage?.inputTokens ?? 0, usage?.outputTokens ?? 0] : "failed";

test("an answer is the same however its frames are cut", async () => {
  const events = [START, TEXT, { ...TEXT, index: 1 }, DELTA, STOP];
  const bytes = Buffer.concat(events.map(chunk));
  const whole = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 12 }), async (cuts) => {
      const chunks: Buffer[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) chunks.push(bytes.subarray(at, (at += cut)));
      expect(await readAll(await unframed(createInvokeFrames, chunks))).toEqual({ text: whole, ending: "whole" });
    }),
    { numRuns: cases({ gate: 100, long: 2_000 }) },
  );
});

test.skipIf(files.length === 0)(
  "every recorded stream of messages is the same in frames, whoever reads it",
  async () => {
    for (const { name, lines } of recordings("messages").filter((file) => file.lines.length > 0)) {
      const typed = lines.map((line) => [/"type":\s*"(\w+)"/.exec(line)?.[1] ?? "", line] as const);
      const events = typed.map(([type, line]) => Buffer.from(`event: ${type}\ndata: ${line}\n\n`));
      for (const pair of [MESSAGES, TRANSLATED, { ...TRANSLATED, client: "responses" } as const]) {
        const told = await relayAnswer(pair, events);
        const framed = await unframed(createInvokeFrames, lines.map(chunk));
        const { outcome, usage, text } = await relayBody(pair, framed.body);

        // What has no end is broken here, and elsewhere taken at its word.
        const isWhole = lines.some((line) => line.includes('"message_stop"'));
        if (isWhole)
          expect({ outcome, usage, text }, name).toEqual({ outcome: told.outcome, usage: told.usage, text: told.text });
        else expect(outcome, name).toBe("upstream_failed");
      }
    }
  },
);

test("what deployments say of the cache with the last event is told with the event that has the output", async () => {
  const stop = { ...STOP, usage: { cache_read_input_tokens: 40, cache_creation_input_tokens: 2, output_tokens: 9 } };
  const relayed = await relayBody(
    MESSAGES,
    (await unframed(createInvokeFrames, [START, TEXT, DELTA, stop].map(chunk))).body,
  );

  expect(relayed.usage).toMatchObject({
    inputTokens: 45,
    outputTokens: 5,
    cacheReadTokens: 40,
    cacheWriteTokens: 2,
  });
});

test("an event of several lines is one event still", async () => {
  const { text } = await readAll(await unframed(createInvokeFrames, [chunk('{"type":\n"ping"}'), chunk(STOP)]));

  expect(text).toBe('event: ping\ndata: {"type":"ping"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n');
});

/** As the table of the service's errors says: whose fault each is, or whether another route is asked. */
test.each<[type: string, status: number, kind: RefusalKind]>([
  ["validationException", 400, "request"],
  ["throttlingException", 429, "busy"],
  ["modelTimeoutException", 408, "late"],
  ["modelStreamErrorException", 424, "failed"],
  ["internalServerException", 500, "failed"],
  ["serviceUnavailableException", 503, "busy"],
  ["someOtherException", 500, "failed"],
])("%s in place of an answer is a refusal with %i, so that another route can be asked", async (type, status, kind) => {
  const refusal = await unframed(createInvokeFrames, [exception(type, "Not now."), chunk(START)]);

  expect(refusal.status).toBe(status);
  expect(readRefused(refusal, await readBeginning(refusal.body, MOST))).toMatchObject({ kind, message: "Not now." });
});

test("a frame of the transport's own is a refusal, too", async () => {
  const frame = writeFrame(
    { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "Sorry." },
    Buffer.alloc(0),
  );
  const refusal = await unframed(createInvokeFrames, [frame]);

  expect([refusal.status, refusal.headers["x-amzn-errortype"]]).toEqual([500, "InternalFailure"]);
});

test("an exception behind a frame that says nothing is a refusal still", async () => {
  const silent = writeFrame({ ":message-type": "event", ":event-type": "initial-response" }, Buffer.from("{}"));

  expect((await unframed(createInvokeFrames, [silent, exception("throttlingException")])).status).toBe(429);
});

test("an exception amid an answer is told, and is the end of it", async () => {
  const stream = await unframed(createInvokeFrames, [chunk(START), exception("throttlingException"), chunk(TEXT)]);
  const { text, ending } = await readAll(stream);

  expect(ending).toBe("broken");
  expect(text).toMatch(/"type":"error","error":\{"type":"ThrottlingException","message":"No\."\}\}\n\n$/);
});

test("output that was told before a stream broke off is not lost", async () => {
  const { text, ending } = await readAll(await unframed(createInvokeFrames, [START, DELTA].map(chunk)));

  expect([text.includes('"output_tokens":5'), ending]).toEqual([true, "broken"]);
});

test.each([
  ["between two frames", [START, TEXT].map(chunk)],
  ["within a frame", [chunk(START), chunk(TEXT).subarray(0, 30)]],
  ["with a wrong checksum", [chunk(START), Buffer.concat([chunk(TEXT).subarray(0, -1), Buffer.from([0])])]],
  ["with what is no event", [chunk(START), chunk("[]")]],
  ["with a frame of two gigabytes", [chunk(START), Buffer.from("7fffffff0000000000000000", "hex")]],
])("a stream that ends %s is broken", async (_how, chunks) => {
  expect((await readAll(await unframed(createInvokeFrames, chunks))).ending).toBe("broken");
});

test.each([
  ["ends without a frame", []],
  ["begins with no frame", [Buffer.from("HTTP/1.1 200 OK\r\n\r\n")]],
  ["begins with another model's events", [chunk({ messageStart: {} })]],
])("an answer that %s was none, so that another route can be asked", async (_how, chunks) => {
  await expect(unframed(createInvokeFrames, chunks)).rejects.toMatchObject({ reason: "broken", sent: true });
});

test("success without a stream is a failure of the provider's", async () => {
  const json = Buffer.from(
    '{"Output":{"__type":"com.amazon.coral.service#UnknownOperationException"},"Version":"1.0"}',
  );
  const given = { status: 200, headers: { "content-type": "application/json" }, body: bodyOf([json]) };
  const { status, headers, body } = await createUnframe(createInvokeFrames)(given, SINK);

  expect(readRefused({ status, headers }, await readBeginning(body, MOST)).kind).toBe("failed");
});

test("a refusal comes as it is", async () => {
  const refusal = { status: 403, headers: {}, body: bodyOf([]) };

  expect(await createUnframe(createInvokeFrames)(refusal, SINK)).toBe(refusal);
});

/** A provider in the hands of the test. */
function slowProvider() {
  let reader: ByteReader | undefined;
  const log: string[] = [];
  const body: ByteStream = {
    read: (given) => (reader = given),
    pause: () => log.push("pause"),
    resume: () => log.push("resume"),
    cancel: () => log.push("cancel"),
  };
  return { body, log, send: (bytes: Buffer) => reader?.chunk(bytes), fail: (error: Error) => reader?.fail(error) };
}

test("a caller that leaves before the first frame takes the call with it", async () => {
  const { body, log } = slowProvider();
  let leave: () => void = () => undefined;
  const begun = createUnframe(createInvokeFrames)(answer(body), { onGone: (callback) => (leave = callback) });
  leave();

  await expect(begun).rejects.toMatchObject({ sent: true });
  expect(log).toEqual(["cancel"]);
});

test("a provider that is silent for long has begun, so that its caller can be sent signs of life", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { body, send } = slowProvider();
    const begun = createUnframe(createInvokeFrames)(answer(body), SINK);
    vi.advanceTimersByTime(5_000);
    const stream = readAll(await begun);
    send(exception("validationException", "Too long."));
    const { text, ending } = await stream;

    // Whose fault it is has to be told all the same.
    expect(ending).toBe("broken");
    expect(text).toContain('"error":{"type":"ValidationException","message":"Too long."}');
  } finally {
    vi.useRealTimers();
  }
});

test("silence of the connection is told as what it is, and a slow caller slows the provider down", async () => {
  const silent = slowProvider();
  const begun = createUnframe(createInvokeFrames)(answer(silent.body), SINK);
  silent.fail(new UpstreamError("timed_out", new Error("silence"), { sent: true }));
  await expect(begun).rejects.toMatchObject({ reason: "timed_out" });

  const { body, log, send } = slowProvider();
  const stream = createUnframe(createInvokeFrames)(answer(body), SINK);
  send(chunk(START));
  const unread = await stream;
  unread.body.pause();
  unread.body.resume();
  unread.body.cancel();
  send(chunk(TEXT));
  expect(log).toEqual(["pause", "resume", "cancel"]);
});

test("named frames are events of their names, and the last one has to come", async () => {
  const frame = (type: string, payload: string): Buffer =>
    writeFrame({ ":message-type": "event", ":event-type": type }, Buffer.from(payload));
  const named = createNamedFrames("metadata");
  const read = async (...chunks: Buffer[]) => readAll(await unframed(named, chunks));

  expect(await read(frame("messageStart", '{"role":"assistant"}'), frame("metadata", '{"usage":\n{}}'))).toEqual({
    text: 'event: messageStart\ndata: {"role":"assistant"}\n\nevent: metadata\ndata: {"usage":{}}\n\n',
    ending: "whole",
  });
  expect(await read(frame("messageStart", "{}"), frame("messageStop", "{}"))).toMatchObject({ ending: "broken" });
  expect(await read(frame("messageStart", "{}"), exception("modelStreamErrorException"))).toEqual({
    text: 'event: messageStart\ndata: {}\n\nevent: exception\ndata: {"__type":"ModelStreamErrorException","message":"No."}\n\n',
    ending: "broken",
  });
  expect(await read(frame("messageStart", "{}"), frame("a\ndata: b", "{}"))).toMatchObject({ ending: "broken" });
});
