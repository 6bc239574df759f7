import { expect, test } from "vitest";
import { createCatalogue } from "../catalogue/catalogue.ts";
import type { Route } from "../catalogue/model.ts";
import type { ByteReader, ByteStream } from "../core/byte-stream.ts";
import { systemClock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import type { Sink } from "../core/sink.ts";
import type { Key } from "../keys/key.ts";
import { createRelay } from "../relay/relay.ts";
import { readChatRequest } from "../wire/chat/chat-request.ts";
import { parseBody } from "../wire/json/parse-body.ts";
import { createGenerate, type Generation } from "./generate.ts";

const ROUTE: Route = {
  id: "r1",
  provider: "east",
  baseUrl: "http://east.invalid/v1",
  credentialRef: "none",
  upstreamModel: "m",
  dialect: "chat",
  conformant: true,
  priority: 0,
  weight: 1,
  connectTimeoutMs: 1,
  firstByteTimeoutMs: 1,
  idleTimeoutMs: 1,
};
const EVENT = 'data: {"choices":[]}\n\n';
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}\n\n';
const DONE = "data: [DONE]\n\n";

/** Bytes that come as soon as somebody reads. */
const bodyOf = (say: (reader: ByteReader) => void): ByteStream => ({
  read: say,
  pause: () => undefined,
  resume: () => undefined,
  cancel: () => undefined,
});
const pieces =
  (...list: string[]) =>
  (reader: ByteReader): void => {
    for (const piece of list) reader.chunk(Buffer.from(piece));
    reader.end();
  };

/** The real story with a provider that says what the test says, and everything that happened, in order. */
function harness(say: ((reader: ByteReader) => void) | "caller left" | Fault) {
  const log: string[] = [];
  const catalogue = createCatalogue();
  const model = { id: "m", provider: "east", createdAtMs: 0, ownedBy: "east", displayName: null, tagline: null };
  catalogue.replace([
    { ...model, contextWindow: null, maxOutputTokens: 8, capabilities: {}, price: null, routes: [ROUTE] },
  ]);
  const generate = createGenerate({
    catalogue,
    admit: async () => {
      log.push("admit");
      return {
        settle: async ({ outcome, usage }) => {
          await Promise.resolve();
          log.push(`settle ${outcome} ${usage?.outputTokens ?? "?"}`);
        },
        [Symbol.asyncDispose]: async () => void log.push("dispose"),
      };
    },
    dispatch: async () => {
      log.push("dispatch");
      if (say instanceof Fault) throw say;
      return say === "caller left" ? null : { target: ROUTE, answer: { status: 200, headers: {}, body: bodyOf(say) } };
    },
    relay: createRelay({ clock: systemClock, limits: { deadlineMs: 5_000, keepAliveMs: 5_000, maxEventBytes: 1_024 } }),
    clock: systemClock,
    limits: { deadlineMs: 5_000, maxAnswerBytes: 1_024 },
  });
  const sink: Sink = {
    isGone: () => false,
    onGone: () => undefined,
    onDrained: () => undefined,
    begin: ({ status }) => log.push(`begin ${status}`),
    write: (bytes) => log.push(`write ${bytes.toString()}`) > 0,
    end: (bytes) => log.push(`end ${bytes?.toString() ?? ""}`),
  };
  const ask = (fields: object = {}): Generation => ({
    id: "id",
    requestId: "req_1",
    key: { id: "k", providerScope: "all", models: null } as unknown as Key,
    request: readChatRequest(
      parseBody(Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user" }], ...fields })), 64),
    ),
    sink,
    startedAtMs: systemClock.elapsedMs(),
    onAttempt: () => undefined,
    onFirstByte: () => undefined,
  });
  return { generate, ask, log };
}

test("the terminal event of a stream leaves only after the settlement [STR-17] [STR-18]", async () => {
  const { generate, ask, log } = harness(pieces(EVENT, USAGE, DONE));
  const generated = await generate(ask({ stream: true }));

  expect(log).toEqual([
    "admit",
    "dispatch",
    "begin 200",
    `write ${EVENT}`,
    "settle completed 5",
    `end ${DONE}`,
    "dispose",
  ]);
  expect(generated).toMatchObject({ outcome: "completed", modelId: "m", usage: { inputTokens: 3 } });
});

test("a plain answer leaves only after the settlement, byte for byte [STR-19]", async () => {
  const body = '{ "choices": [], "usage": {"prompt_tokens":1,"completion_tokens":2,"total_tokens":3} }';
  const { generate, ask, log } = harness(pieces(body.slice(0, 9), body.slice(9)));
  await generate(ask());

  expect(log).toEqual(["admit", "dispatch", "settle completed 2", "begin 200", `end ${body}`, "dispose"]);
});

test("a request that is refused for its model or its limit is never admitted [ORD-7]", async () => {
  const { generate, ask, log } = harness(pieces(DONE));

  await expect(generate(ask({ model: "x" }))).rejects.toMatchObject({ code: "model_not_found" });
  await expect(generate(ask({ max_tokens: 9 }))).rejects.toMatchObject({ code: "invalid_request" });
  expect(log).toEqual([]);
});

test("a provider that fails before the first byte gives the whole reservation back", async () => {
  const { generate, ask, log } = harness(new Fault("provider_unavailable", "down"));

  await expect(generate(ask())).rejects.toMatchObject({ code: "provider_unavailable" });
  expect(log).toEqual(["admit", "dispatch", "dispose"]);
});

test("a stream that breaks before content is refused with a status, after it is settled [ORD-14]", async () => {
  const { generate, ask, log } = harness(pieces(""));

  await expect(generate(ask({ stream: true }))).rejects.toMatchObject({ code: "upstream_error" });
  expect(log).toEqual(["admit", "dispatch", "settle upstream_failed ?", "dispose"]);
});

test("a stream that breaks after content ends with an error event, after it is settled [STR-20] [STR-23]", async () => {
  const { generate, ask, log } = harness(pieces(EVENT));

  expect(await generate(ask({ stream: true }))).toMatchObject({ outcome: "upstream_failed" });
  expect(log.slice(-3)).toEqual([
    "settle upstream_failed ?",
    expect.stringMatching(/^end data: \{"error":.*"request_id":"req_1"/),
    "dispose",
  ]);
});

test("a plain answer that cannot be read or is too large is refused, and the hold given back [UPS-8]", async () => {
  for (const body of ["not JSON", '{"object":"other"}', " ".repeat(2_000)]) {
    const { generate, ask, log } = harness(pieces(body));

    await expect(generate(ask())).rejects.toMatchObject({ code: "upstream_error" });
    expect(log.at(-1)).toBe("dispose");
    expect(log.some((step) => step.startsWith("begin"))).toBe(false);
  }
});

test("a caller that left before any provider answered is settled as gone and told nothing [CAN-10]", async () => {
  const { generate, ask, log } = harness("caller left");

  expect(await generate(ask())).toMatchObject({ outcome: "client_gone", bytesOut: 0 });
  expect(log).toEqual(["admit", "dispatch", "settle client_gone ?", "dispose"]);
});
