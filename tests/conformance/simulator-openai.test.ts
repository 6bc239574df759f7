import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordings, sharedFolder } from "../support/recordings.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";

let simulator: SimulatorProcess;
let client: OpenAI;
const messages = [{ role: "user" as const, content: "Say something." }];

beforeAll(async () => {
  simulator = await startSimulatorProcess();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: "sk-secret-value", maxRetries: 0 });
});
afterAll(async () => {
  expect(await simulator.stop()).toBe(0);
});

test("the model list is readable by the OpenAI SDK", async () => {
  const list = await client.models.list();

  expect(list.data.map((model) => model.id)).toContain("sim-fast");
});

test("a plain chat answer has text, a finish reason and exact usage", async () => {
  const answer = await client.chat.completions.create({ model: "sim-fast+tokens=3+input=11+cached=4", messages });

  expect(answer.choices[0]?.message.content).toBe("amber harbor ocean");
  expect(answer.choices[0]?.finish_reason).toBe("stop");
  expect(answer.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 });
  expect(answer.usage?.prompt_tokens_details?.cached_tokens).toBe(4);
});

test("a streamed chat answer adds up to the plain one in the SDK's stream helper", async () => {
  const model = "sim-fast+tokens=30";
  const plain = await client.chat.completions.create({ model, messages });

  const streamed = await client.chat.completions
    .stream({ model, messages, stream_options: { include_usage: true } })
    .finalChatCompletion();

  expect(streamed.choices[0]?.message.content).toBe(plain.choices[0]?.message.content);
  expect(streamed.choices[0]?.finish_reason).toBe("stop");
  expect(streamed.usage).toEqual(plain.usage);
});

test("the usage chunk comes only when it was asked for, and then every other chunk says null", async () => {
  const model = "sim-fast+tokens=3";
  const silent = await Array.fromAsync(await client.chat.completions.create({ model, messages, stream: true }));
  const asked = await Array.fromAsync(
    await client.chat.completions.create({ model, messages, stream: true, stream_options: { include_usage: true } }),
  );

  expect(silent.every((chunk) => !("usage" in chunk) && chunk.choices.length === 1)).toBe(true);
  expect(asked.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  expect(asked.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
});

test("two choices are both streamed whole and both counted", async () => {
  const final = await client.chat.completions
    .stream({ model: "sim-fast+tokens=4", messages, n: 2, stream_options: { include_usage: true } })
    .finalChatCompletion();

  expect(final.choices.map((choice) => choice.message.content)).toEqual(Array(2).fill("amber harbor ocean valley"));
  expect(final.usage?.completion_tokens).toBe(8);
});

test("the caller's limit cuts the chat answer and says so", async () => {
  const plain = await client.chat.completions.create({ model: "sim-fast", messages, max_tokens: 2 });
  const chunks = await Array.fromAsync(
    await client.chat.completions.create({ model: "sim-fast", messages, max_completion_tokens: 2, stream: true }),
  );

  expect(plain.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "amber harbor" } });
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("length");
});

test("a tool call streams arguments that parse, under one id", async () => {
  const model = "sim-tool+tool=get_weather+tokens=6";
  const plain = await client.chat.completions.create({ model, messages });
  const streamed = await client.chat.completions.stream({ model, messages }).finalChatCompletion();

  for (const answer of [plain, streamed]) {
    const call = answer.choices[0]?.message.tool_calls?.[0];
    expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
    expect(call).toMatchObject({ type: "function", function: { name: "get_weather" } });
    expect(JSON.parse(call?.type === "function" ? call.function.arguments : "")).toEqual({
      query: "amber harbor ocean valley",
    });
  }
});

test("a responses stream satisfies the SDK's helper and equals the plain answer", async () => {
  const model = "sim-fast+tokens=12";
  const plain = await client.responses.create({ model, input: "hello" });

  const streamed = await client.responses.stream({ model, input: "hello" }).finalResponse();

  expect(streamed.status).toBe("completed");
  expect(streamed.output_text).toBe(plain.output_text);
  expect(streamed.output_text.split(" ")).toHaveLength(12);
  expect(streamed.usage).toEqual(plain.usage);
});

test("the events of a responses stream are numbered without a gap and in the documented order", async () => {
  const stream = await client.responses.create({ model: "sim-fast+tokens=3", input: "hello", stream: true });

  const events = await Array.fromAsync(stream);

  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.map((event) => event.type)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
});

test("the caller's limit makes a response incomplete, plain and streamed", async () => {
  const plain = await client.responses.create({ model: "sim-fast", input: "hello", max_output_tokens: 2 });
  const events = await Array.fromAsync(
    await client.responses.create({ model: "sim-fast", input: "hello", max_output_tokens: 2, stream: true }),
  );

  expect(plain).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  expect(events.at(-1)?.type).toBe("response.incomplete");
});

test("a function call of the responses API satisfies the SDK's helper", async () => {
  const final = await client.responses
    .stream({ model: "sim+tool=get_weather+tokens=4", input: "hello" })
    .finalResponse();

  expect(final.output[0]).toMatchObject({
    type: "function_call",
    name: "get_weather",
    arguments: '{"query":"amber harbor"}',
  });
});

test("statuses before content arrive as the SDK's error classes", async () => {
  const ask = (status: number) => client.chat.completions.create({ model: `sim+fail=${status}+retry=7`, messages });

  await expect(ask(400)).rejects.toBeInstanceOf(BadRequestError);
  await expect(ask(401)).rejects.toBeInstanceOf(AuthenticationError);
  await expect(ask(404)).rejects.toBeInstanceOf(NotFoundError);
  await expect(ask(500)).rejects.toBeInstanceOf(InternalServerError);
  const refusal: unknown = await ask(429).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RateLimitError);
  expect(refusal).toMatchObject({ code: "rate_limit_exceeded", requestID: expect.stringMatching(/^req_/) });
  expect((refusal as RateLimitError).headers.get("retry-after")).toBe("7");
});

test("an unknown setting is a 400 that names it, on the model and in the header", async () => {
  const onModel = () => client.chat.completions.create({ model: "sim+tokns=5", messages });
  const inHeader = () =>
    client.responses.create({ model: "sim", input: "x" }, { headers: { "x-sim-script": "rte=1" } });

  await expect(onModel()).rejects.toThrow(/400.*tokns/);
  await expect(inHeader()).rejects.toThrow(/400.*rte/);
});

test("the header's script overrides the model's", async () => {
  const answer = await client.chat.completions.create(
    { model: "sim+tokens=9+fail=500", messages },
    { headers: { "x-sim-script": "tokens=2+fail=hang@3" } },
  );

  expect(answer.usage?.completion_tokens).toBe(2);
});

test("a chat stream that fails in the middle raises an API error after its tokens", async () => {
  const received: string[] = [];
  const stream = await client.chat.completions.create({ model: "sim+fail=error@3", messages, stream: true });

  const reading = (async () => {
    for await (const chunk of stream) received.push(chunk.choices[0]?.delta.content ?? "");
  })();

  await expect(reading).rejects.toBeInstanceOf(APIError);
  expect(received.join("")).toBe("amber harbor ocean");
});

test("a response that fails in the middle ends with response.failed", async () => {
  const events = await Array.fromAsync(
    await client.responses.create({ model: "sim+fail=error@2", input: "x", stream: true }),
  );

  expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { status: "failed" }, sequence_number: 6 });
});

test("wrong usage is delivered as scripted", async () => {
  const usage = async (mode: string) =>
    (await client.chat.completions.create({ model: `sim+tokens=5+usage=${mode}`, messages })).usage;

  expect(await usage("missing")).toBeUndefined();
  expect(await usage("negative")).toMatchObject({ completion_tokens: -5 });
  expect(await usage("absurd")).toMatchObject({ completion_tokens: 1e18 });
  expect(await usage("string")).toMatchObject({ completion_tokens: "5" });
});

test("the credential's value is nowhere in the witness", async () => {
  await client.chat.completions.create({ model: "sim-fast+tokens=1", messages });

  const calls = await simulator.witness();

  expect(JSON.stringify(calls)).not.toContain("sk-secret-value");
  expect(calls.at(-1)).toMatchObject({
    model: "sim-fast+tokens=1",
    ended: "completed",
    credentialDigest: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
});

for (const dialect of ["chat", "responses"] as const) {
  test.skipIf(sharedFolder() === null)(`every recorded ${dialect} stream is replayed event by event`, async () => {
    const files = recordings(dialect).filter((file) => file.lines.length > 0);
    expect(files.length).toBeGreaterThan(10);

    for (const file of files) {
      const path = dialect === "chat" ? "chat/completions" : "responses";
      const response = await fetch(`${simulator.url}/v1/${path}`, {
        method: "POST",
        headers: { authorization: "Bearer x", "x-sim-script": `recording=${file.name}` },
        body: JSON.stringify({ model: "replay", messages, input: "x", stream: true }),
      });
      const data = (await response.text())
        .split("\n")
        .flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
      const recorded = file.lines.at(-1) === "[DONE]" ? file.lines.slice(0, -1) : file.lines;
      expect(data, file.name).toEqual(dialect === "chat" ? [...recorded, "[DONE]"] : recorded);
    }
  });
}
