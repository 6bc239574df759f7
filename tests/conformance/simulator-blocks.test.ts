import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";

let simulator: SimulatorProcess;
let openai: OpenAI;
let anthropic: Anthropic;
const messages = [{ role: "user" as const, content: "Say something." }];
const CITY = z.object({
  city: z.string(),
  degrees: z.number(),
  kinds: z.array(z.enum(["warm", "cold"])),
});

beforeAll(async () => {
  simulator = await startSimulatorProcess();
  openai = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: "k", maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: simulator.url, apiKey: "k", maxRetries: 0 });
});
afterAll(() => simulator.stop());

const chat = {
  plain: (model: string, more = {}) => openai.chat.completions.create({ model, messages, ...more, stream: false }),
  streamed: (model: string, more = {}) =>
    openai.chat.completions.stream({ model, messages, ...more }).finalChatCompletion(),
};
const response = {
  plain: (model: string, more = {}) => openai.responses.create({ model, input: "x", ...more, stream: false }),
  streamed: (model: string, more = {}) => openai.responses.stream({ model, input: "x", ...more }).finalResponse(),
};
const message = {
  plain: (model: string, more = {}) =>
    anthropic.messages.create({ model, max_tokens: 99, messages, ...more, stream: false }),
  streamed: (model: string, more = {}) =>
    anthropic.messages.stream({ model, max_tokens: 99, messages, ...more }).finalMessage(),
};
/** The official helper keeps only the last piece of a field it does not know. */
async function chatStream(model: string): Promise<object> {
  const said = { content: "", reasoning_content: "" };
  for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true })) {
    const delta = (choices[0]?.delta ?? {}) as Partial<typeof said>;
    said.content += delta.content ?? "";
    said.reasoning_content += delta.reasoning_content ?? "";
  }
  return said;
}

const REASONING = { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"], store: false };

test.each(["plain", "streamed"] as const)(
  "thoughts come %s before the answer with what each dialect proves them by, and are counted",
  async (how) => {
    const model = "sim+thinking=3+tokens=2";
    const chatted = how === "plain" ? (await chat.plain(model)).choices[0]?.message : await chatStream(model);
    const responded = await response[how](model, REASONING);
    const messaged = await message[how](model);

    expect(chatted).toMatchObject({ content: "amber harbor", reasoning_content: "Considering harbor ocean" });
    expect(responded.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Considering harbor ocean" }], encrypted_content: expect.any(String) },
      { type: "message" },
    ]);
    expect(responded.usage).toMatchObject({ output_tokens: 5, output_tokens_details: { reasoning_tokens: 3 } });
    expect(messaged.content).toMatchObject([
      { type: "thinking", thinking: "Considering harbor ocean", signature: expect.stringMatching(/^Sim.+=$/) },
      { type: "text", text: "amber harbor" },
    ]);
    expect(messaged.usage).toMatchObject({ output_tokens: 5, output_tokens_details: { thinking_tokens: 3 } });
  },
);

test("a response says no more of its thoughts than it was asked for", async () => {
  expect((await response.plain("sim+thinking=3")).output[0]).toEqual({
    id: expect.stringMatching(/^rs_/) as string,
    type: "reasoning",
    summary: [],
  });
});

test.each(["plain", "streamed"] as const)("hidden thoughts come %s as something nobody can read", async (how) => {
  const model = "sim+thinking=3+thoughts=hidden+tokens=2";

  expect((await message[how](model)).content[0]).toMatchObject({ type: "redacted_thinking", data: expect.any(String) });
  expect((await response[how](model, REASONING)).output[0]).toMatchObject({
    summary: [],
    encrypted_content: expect.any(String),
  });
  expect((await chat[how](model)).choices[0]?.message).toMatchObject({
    reasoning_details: [{ type: "reasoning.encrypted", data: expect.any(String) }],
  });
});

test("each dialect's own thoughts are taken back, and nobody else's", async () => {
  const answer = await message.streamed("sim+thinking=3+tokens=2");
  const again = (content: object[]) =>
    message.plain("sim", { messages: [...messages, { role: "assistant", content }, ...messages] });
  const forged = answer.content.map((block) =>
    block.type === "thinking" ? { ...block, signature: "EvQBCk==" } : block,
  );

  expect((await again(answer.content)).stop_reason).toBe("end_turn");
  await expect(again(forged)).rejects.toMatchObject({ status: 400 });

  const { output } = await response.streamed("sim+thinking=3+tokens=2", REASONING);
  const follow = (items: object[]) => response.plain("sim", { input: [...items, ...messages] });
  expect((await follow(output)).status).toBe("completed");
  await expect(follow(output.map((item) => ({ ...item, encrypted_content: "gAAAA" })))).rejects.toMatchObject({
    status: 400,
    code: "invalid_encrypted_content",
  });
});

test.each(["tools=weather,time", "tools=weather,time+interleaved", "words=3+tools=weather,time"])(
  "parallel calls (%s) are whole in every dialect, plain and streamed",
  async (script) => {
    const model = `sim+${script}+tokens=4`;
    for (const how of ["plain", "streamed"] as const) {
      const calls = (await chat[how](model)).choices[0]?.message.tool_calls ?? [];
      const items = (await response[how](model)).output.flatMap((item) =>
        item.type === "function_call" ? [item] : [],
      );
      const uses = (await message[how](model)).content.filter((block) => block.type === "tool_use");

      const input = { query: "amber harbor" };
      const inputs = calls.map((call) =>
        call.type === "function" ? (JSON.parse(call.function.arguments) as unknown) : null,
      );
      expect(inputs).toEqual([input, input]);
      expect(items.map((item) => [item.name, JSON.parse(item.arguments) as unknown])).toEqual([
        ["weather", input],
        ["time", input],
      ]);
      expect(uses).toMatchObject([
        { name: "weather", input },
        { name: "time", input },
      ]);
      for (const ids of [calls.map(({ id }) => id), items.map((item) => item.call_id), uses.map(({ id }) => id)])
        expect(new Set(ids).size).toBe(2);
    }
  },
);

test.each(["plain", "streamed"] as const)("a %s refusal is told where each dialect has it", async (how) => {
  const model = "sim+refusal+tokens=2";

  expect((await chat[how](model)).choices[0]).toMatchObject({
    finish_reason: "stop",
    message: { content: null, refusal: "Declining harbor" },
  });
  expect((await response[how](model)).output[0]).toMatchObject({
    content: [{ type: "refusal", refusal: "Declining harbor" }],
  });
  expect(await message[how](model)).toMatchObject({
    content: [],
    stop_reason: "refusal",
    stop_details: { type: "refusal", explanation: "Declining harbor" },
    usage: { output_tokens: 2 },
  });
});

test("a schema is answered with what the SDKs' own helpers parse", async () => {
  const model = "sim+tokens=9";
  const chatted = await openai.chat.completions.parse({
    model,
    messages,
    response_format: zodResponseFormat(CITY, "city"),
  });
  const responded = await openai.responses.parse({ model, input: "x", text: { format: zodTextFormat(CITY, "city") } });
  const messaged = await anthropic.messages.parse({
    model,
    max_tokens: 99,
    messages,
    output_config: { format: zodOutputFormat(CITY) },
  });

  for (const parsed of [chatted.choices[0]?.message.parsed, responded.output_parsed, messaged.parsed_output])
    expect(parsed).toEqual({ city: "amber harbor", degrees: 7, kinds: ["warm", "warm"] });
});

test.each(["plain", "streamed"] as const)("a %s answer ends before the stop sequence it meets", async (how) => {
  expect((await chat[how]("sim", { stop: " ocean" })).choices[0]).toMatchObject({
    finish_reason: "stop",
    message: { content: "amber harbor" },
  });
  expect(await message[how]("sim", { stop_sequences: ["nothing", " ocean"] })).toMatchObject({
    content: [{ type: "text", text: "amber harbor" }],
    stop_reason: "stop_sequence",
    stop_sequence: " ocean",
  });
});

test("a stream that breaks between two blocks is numbered on, and says no more", async () => {
  const stream = await openai.responses.create({
    model: "sim+thinking=2+tokens=4+fail=error@2",
    input: "x",
    reasoning: { summary: "auto" },
    stream: true,
  });

  const events = await Array.fromAsync(stream);

  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.slice(-2).map((event) => event.type)).toEqual([
    "response.reasoning_summary_text.delta",
    "response.failed",
  ]);
});
