import Anthropic, { AuthenticationError, BadRequestError, RateLimitError } from "@anthropic-ai/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordings, sharedFolder } from "../support/recordings.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";

let simulator: SimulatorProcess;
let client: Anthropic;
const messages = [{ role: "user" as const, content: "Say something." }];

beforeAll(async () => {
  simulator = await startSimulatorProcess();
  client = new Anthropic({ baseURL: simulator.url, apiKey: "sk-secret-value", maxRetries: 0 });
});
afterAll(async () => {
  expect(await simulator.stop()).toBe(0);
});

test("the model list is readable by the Anthropic SDK", async () => {
  const list = await client.models.list();

  expect(list.data[0]).toMatchObject({ type: "model", id: "sim-fast" });
  expect(list.hasNextPage()).toBe(false);
});

test("a plain message has text, a stop reason and exact usage", async () => {
  const answer = await client.messages.create({ model: "sim+tokens=3+input=10+cached=4", max_tokens: 100, messages });

  expect(answer.content).toEqual([{ type: "text", text: "amber harbor ocean" }]);
  expect(answer.stop_reason).toBe("end_turn");
  expect(answer.usage).toMatchObject({ input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 3 });
});

test("a streamed message adds up to the plain one in the SDK's stream helper", async () => {
  const ask = { model: "sim-fast+tokens=30", max_tokens: 100, messages };
  const plain = await client.messages.create(ask);

  const streamed = await client.messages.stream(ask).finalMessage();

  expect(streamed.content).toEqual(plain.content);
  expect(streamed.stop_reason).toBe("end_turn");
  expect(streamed.usage).toMatchObject({ input_tokens: plain.usage.input_tokens, output_tokens: 30 });
});

test("the events of a message come in the documented order with cumulative usage", async () => {
  const stream = await client.messages.create({ model: "sim+tokens=2", max_tokens: 9, messages, stream: true });

  const events = await Array.fromAsync(stream);

  expect(events.map((event) => event.type).filter((type) => (type as string) !== "ping")).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(events.find((event) => event.type === "message_delta")?.usage.output_tokens).toBe(2);
});

test("the caller's limit cuts the message and says so", async () => {
  const ask = { model: "sim-fast", max_tokens: 2, messages };

  expect((await client.messages.create(ask)).stop_reason).toBe("max_tokens");
  expect((await client.messages.stream(ask).finalMessage()).stop_reason).toBe("max_tokens");
});

test("a tool call streams an input that parses", async () => {
  const ask = { model: "sim+tool=get_weather+tokens=4", max_tokens: 100, messages };
  const plain = await client.messages.create(ask);
  const streamed = await client.messages.stream(ask).finalMessage();

  for (const answer of [plain, streamed]) {
    expect(answer.stop_reason).toBe("tool_use");
    expect(answer.content[0]).toMatchObject({
      type: "tool_use",
      name: "get_weather",
      input: { query: "amber harbor" },
    });
  }
});

test("counting tokens gives the input the message reports later", async () => {
  const counted = await client.messages.countTokens({ model: "sim-fast", messages });
  const answer = await client.messages.create({ model: "sim-fast", max_tokens: 5, messages });

  expect(counted).toEqual({ input_tokens: answer.usage.input_tokens });
  expect(counted.input_tokens).toBe(Math.ceil(JSON.stringify(messages).length / 4));
});

test("statuses before content arrive as the SDK's error classes with the request id", async () => {
  const ask = (status: number) =>
    client.messages.create({ model: `sim+fail=${status}+retry=3`, max_tokens: 5, messages });

  await expect(ask(400)).rejects.toBeInstanceOf(BadRequestError);
  await expect(ask(401)).rejects.toBeInstanceOf(AuthenticationError);
  await expect(ask(429)).rejects.toBeInstanceOf(RateLimitError);
  await expect(ask(529)).rejects.toMatchObject({
    status: 529,
    requestID: expect.stringMatching(/^req_/),
    error: { type: "error", error: { type: "overloaded_error" }, request_id: expect.stringMatching(/^req_/) },
  });
});

test("a request without max_tokens, version or credential is refused in the provider's words", async () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${simulator.url}/v1/messages`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "sim", messages }),
    });

  const limitless = await post({ "x-api-key": "k", "anthropic-version": "2023-06-01" });
  const versionless = await post({ "x-api-key": "k" });
  const anonymous = await post({});

  expect(limitless.status).toBe(400);
  expect(await limitless.json()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", message: "max_tokens: Field required" },
  });
  expect(versionless.status).toBe(400);
  expect(await versionless.json()).toMatchObject({ error: { message: "anthropic-version: header is required" } });
  expect(anonymous.status).toBe(401);
  expect(await anonymous.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
});

test("a message stream that fails in the middle raises an API error after its tokens", async () => {
  const stream = client.messages.stream({ model: "sim+fail=error@3", max_tokens: 100, messages });
  const received: string[] = [];
  stream.on("text", (text) => received.push(text));

  await expect(stream.finalMessage()).rejects.toThrow(/overloaded/i);
  expect(received.join("")).toBe("amber harbor ocean");
});

test("a paused stream goes on when it is released, and loses nothing", async () => {
  const stream = client.messages.stream({ model: "sim+pause=3+tokens=6", max_tokens: 100, messages });
  const thirdToken = new Promise<void>((resolve) =>
    stream.on("text", (_, snapshot) => snapshot === "amber harbor ocean" && resolve()),
  );
  await thirdToken;
  expect((await simulator.witness()).at(-1)).toMatchObject({ paused: true, tokensProduced: 3, ended: null });

  await simulator.release();

  expect((await stream.finalMessage()).usage.output_tokens).toBe(6);
});

test.skipIf(sharedFolder() === null)(
  "every recorded message stream is replayed event by event under its name",
  async () => {
    const files = recordings("messages").filter((file) => file.lines.length > 0);
    expect(files.length).toBeGreaterThan(10);

    for (const file of files) {
      const response = await fetch(`${simulator.url}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": "x", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({ model: `replay+recording=${file.name}`, max_tokens: 1, messages, stream: true }),
      });
      const expected = file.lines.map(
        (line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`,
      );
      expect(await response.text(), file.name).toBe(expected.join(""));
    }
  },
);

test.skipIf(sharedFolder() === null)("a recorded text stream is understood by the SDK's helper", async () => {
  const ask = { model: "replay+recording=anthropic-text.chunks.txt", max_tokens: 1, messages };

  const final = await client.messages.stream(ask).finalMessage();

  expect(final.usage.output_tokens).toBe(30);
});
