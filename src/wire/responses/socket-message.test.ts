import { describe, expect, test } from "vitest";
import { readSocketMessage, type SocketConversation } from "./socket-message.ts";

const ITEM = { type: "message", role: "user", content: "Hello" };
const PREVIOUS: SocketConversation = { id: "resp_1", items: Buffer.from('{"role":"user"},{"role":"assistant"}') };

const read = (message: object, previous: SocketConversation | null = null) =>
  readSocketMessage({ bytes: Buffer.from(JSON.stringify(message)), maxDepth: 64, previous });
const bodyOf = (message: object, previous: SocketConversation | null = null): unknown =>
  JSON.parse(read(message, previous).body.toString());
const refusal = (message: object, previous: SocketConversation | null = null): unknown => {
  try {
    return read(message, previous);
  } catch (error) {
    return error;
  }
};

describe("a message of a WebSocket", () => {
  test("is the body of the same request over HTTP, streamed", () => {
    const message = { type: "response.create", model: "m", input: [ITEM], stream: false, client_metadata: { a: "b" } };

    expect(bodyOf(message)).toEqual({ model: "m", input: [ITEM], stream: true, client_metadata: { a: "b" } });
    expect(read(message)).toMatchObject({ kind: "generate", model: "m", items: Buffer.from(JSON.stringify(ITEM)) });
  });

  test("leaves every other byte as the client wrote it", () => {
    const bytes = Buffer.from('{"type":"response.create", "model" : "m","n":1.0e2,"input":[ {"a": 1.50} ]}');
    const { body } = readSocketMessage({ bytes, maxDepth: 64, previous: null });

    expect(body.toString()).toBe('{"model" : "m","n":1.0e2,"input":[ {"a": 1.50} ],"stream":true}');
  });

  test("with text as its input becomes an item, so that it can be gone on with", () => {
    expect(bodyOf({ type: "response.create", model: "m", input: "Hello" })).toMatchObject({ input: [ITEM] });
  });

  test.each([
    ["new items", [ITEM], [{ role: "user" }, { role: "assistant" }, ITEM]],
    ["no new items", [], [{ role: "user" }, { role: "assistant" }]],
    ["text", "Hello", [{ role: "user" }, { role: "assistant" }, ITEM]],
  ])("with %s goes on behind the conversation it names", (_what, input, expected) => {
    const message = { type: "response.create", model: "m", previous_response_id: "resp_1", input };

    expect(bodyOf(message, PREVIOUS)).toEqual({ model: "m", input: expected, stream: true });
  });

  test("that names no response begins anew, also where there was one", () => {
    expect(bodyOf({ type: "response.create", model: "m", input: [ITEM] }, PREVIOUS)).toMatchObject({ input: [ITEM] });
  });

  test.each([
    ["there is none", null],
    ["there is another", { ...PREVIOUS, id: "resp_2" }],
  ])("that names a response is refused when %s", (_what, previous) => {
    const message = { type: "response.create", model: "m", previous_response_id: "resp_1", input: [] };

    expect(refusal(message, previous)).toMatchObject({ code: "previous_response_not_found" });
  });

  test("that wants nothing generated is a warm-up", () => {
    const message = { type: "response.create", model: "m", input: [ITEM], generate: false };

    expect(read(message).kind).toBe("warm_up");
    expect(bodyOf(message)).not.toHaveProperty("generate");
  });

  test.each([
    ["type", { type: "response.steer" }],
    ["type", { model: "m" }],
    ["generate", { type: "response.create", generate: 0 }],
    ["previous_response_id", { type: "response.create", previous_response_id: 7 }],
    ["stream_id", { type: "response.create", stream_id: "a" }],
  ])("with a wrong %s is refused", (param, message) => {
    expect(refusal(message)).toMatchObject({ code: "invalid_request", param });
  });

  test("with an input of another kind is left to the schema", () => {
    expect(bodyOf({ type: "response.create", model: "m", input: 7 })).toMatchObject({ input: 7 });
  });
});
