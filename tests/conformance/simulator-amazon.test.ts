import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { amazonClient, type AmazonClient, type ConverseEvent, installAmazonSdk } from "../support/clouds/amazon-sdk.ts";
import { type RecordedFile, recordings, sharedFolder } from "../support/recordings.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";

const installed = await installAmazonSdk();
if (installed.missing !== null)
  process.stderr.write(`skipped: Amazon's client cannot be installed: ${installed.missing}\n`);

let simulator: SimulatorProcess;
beforeAll(async () => {
  simulator = await startSimulatorProcess();
});
afterAll(async () => {
  expect(await simulator.stop()).toBe(0);
});

type Json = Record<string, unknown>;
const messages = [{ role: "user", content: [{ text: "Say something." }] }];
const weather = { toolSpec: { name: "weather", inputSchema: { json: { type: "object" } } } };
const toolConfig = { tools: [weather] };
const result = (toolUseId: unknown) => ({
  role: "user",
  content: [{ toolResult: { toolUseId, content: [{ text: "cold" }] } }],
});
const textIn = (content: readonly Json[] = []): string =>
  content.map(({ text }) => (typeof text === "string" ? text : "")).join("");
const idOf = (call: Json = {}): unknown => (call["toolUse"] as Json | undefined)?.["toolUseId"];
const deltasIn = (events: readonly ConverseEvent[]): Json[] =>
  events.flatMap(({ contentBlockDelta: given }) => (given === undefined ? [] : [given["delta"] as Json]));

describe.skipIf(installed.missing)("Amazon's own client", () => {
  const CLIENTS: Record<string, () => AmazonClient> = {
    "with signatures": () => amazonClient(installed, simulator.url, "signed"),
    "with a key of Bedrock": () => amazonClient(installed, simulator.url, "bearer"),
  };
  const client = (): AmazonClient => amazonClient(installed, simulator.url, "bearer");

  test.each(Object.entries(CLIENTS))("%s gets a whole answer with usage beside the cache", async (_how, signed) => {
    const answer = await signed().converse({ modelId: "us.amazon.nova-pro-v1:0+tokens=3+input=10+cached=4", messages });

    expect(answer.output?.message?.content).toEqual([{ text: "amber harbor ocean" }]);
    expect(answer.stopReason).toBe("end_turn");
    expect(answer.usage).toMatchObject({ inputTokens: 6, cacheReadInputTokens: 4, outputTokens: 3 });
  });

  test.each(Object.entries(CLIENTS))("%s gets a stream that adds up to the whole answer", async (_how, signed) => {
    const ask = { modelId: "sim-fast+tokens=300", messages, system: [{ text: "Be brief." }] };
    const plain = await signed().converse(ask);
    const events = await signed().stream(ask);

    expect(textIn(deltasIn(events))).toBe(textIn(plain.output?.message?.content));
    expect(events.map((event) => Object.keys(event)[0]).filter((name) => name !== "contentBlockDelta")).toEqual([
      "messageStart",
      "contentBlockStop",
      "messageStop",
      "metadata",
    ]);
    expect(events.at(-1)?.["metadata"]?.["usage"]).toEqual(plain.usage);
  });

  test("calls and their results go round, plain and streamed", async () => {
    const ask = { modelId: "sim+tools=weather+once+tokens=4+words=2", messages, toolConfig };
    const { output, stopReason } = await client().converse(ask);
    const [, call] = output?.message?.content ?? [];
    const events = await client().stream(ask);
    const inputs = deltasIn(events).map(({ toolUse }) => (toolUse as { input?: string } | undefined)?.input ?? "");
    const answered = await client().converse({
      ...ask,
      messages: [...messages, output?.message ?? {}, result(idOf(call))],
    });

    expect(stopReason).toBe("tool_use");
    expect(call).toMatchObject({ toolUse: { name: "weather", input: { query: "amber harbor" } } });
    expect(JSON.parse(inputs.join(""))).toEqual({ query: "amber harbor" });
    expect(textIn(answered.output?.message?.content).split(" ")).toHaveLength(4);
  });

  test.each(["shown", "hidden"])("thoughts (%s) go back as they came, and not otherwise", async (how) => {
    const ask = { modelId: `sim+thinking=3+thoughts=${how}+tools=weather+once+tokens=2`, messages, toolConfig };
    const { output } = await client().converse(ask);
    const content = output?.message?.content ?? [];
    const [thought, call] = content;
    const more = (first: unknown) => [...messages, { role: "assistant", content: [first, call] }, result(idOf(call))];
    const forged = { reasoningContent: { reasoningText: { text: "I think so.", signature: "mine" } } };

    expect((await client().converse({ ...ask, messages: more(thought) })).stopReason).toBe("end_turn");
    await expect(client().converse({ ...ask, messages: more(forged) })).rejects.toMatchObject({
      name: "ValidationException",
    });
  });

  test("a stream of thoughts has its signature as a delta of its own", async () => {
    const events = await client().stream({ modelId: "sim+thinking=3+tokens=2", messages });
    const thoughts = deltasIn(events).map(({ reasoningContent }) => Object.keys((reasoningContent ?? {}) as Json)[0]);

    expect(thoughts).toEqual(["text", "text", "text", "signature", undefined, undefined]);
  });

  test.each<[string, string, Json]>([
    ["speakers that do not take turns", "Roles must alternate", { messages: [...messages, ...messages] }],
    ["an answer first", "start with a user message", { messages: [{ role: "assistant", content: [{ text: "a" }] }] }],
    ["text without words", "is blank", { messages: [{ role: "user", content: [{ text: " " }] }] }],
    ["no tools at all", "toolConfig.tools", { toolConfig: { tools: [] } }],
    [
      "calls without tools",
      "toolConfig field must be defined",
      {
        messages: [
          ...messages,
          { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "b", input: {} } }] },
          result("a"),
        ],
      },
    ],
    ["results that answer no call", "exceeds the number of toolUse", { toolConfig, messages: [result("a")] }],
    [
      "five cache points",
      "A maximum of 4",
      { system: Array.from({ length: 5 }, () => [{ text: "s" }, { cachePoint: { type: "default" } }]).flat() },
    ],
    ["a temperature above 1", "temperature", { inferenceConfig: { temperature: 1.5 } }],
    ["what the model does not know", "extraneous key", { additionalModelRequestFields: { speed: "fast" } }],
  ])("is refused %s in the words and by the name of Amazon", async (_what, words, more) => {
    await expect(client().converse({ modelId: "sim", messages, ...more })).rejects.toMatchObject({
      name: "ValidationException",
      message: expect.stringContaining(words) as string,
    });
  });

  test.each([
    ["429", "ThrottlingException"],
    ["503", "ServiceUnavailableException"],
    ["404", "ResourceNotFoundException"],
  ])("reads a refusal of status %s as a %s", async (status, name) => {
    await expect(client().converse({ modelId: `sim+fail=${status}`, messages })).rejects.toMatchObject({ name });
  });

  test("reads an exception amid a stream, and a stream that is cut inside a frame", async () => {
    const broken = client().stream({ modelId: "sim+tokens=9+fail=error@3", messages });

    await expect(broken).rejects.toMatchObject({ name: "ServiceUnavailableException" });
    await expect(client().stream({ modelId: "sim+tokens=9+fail=reset@3", messages })).rejects.toThrow();
  });

  const files: readonly RecordedFile[] =
    sharedFolder() === null ? [] : recordings("converse").filter(({ lines }) => lines.length > 0);
  test.skipIf(files.length === 0)(
    "reads every recorded stream out of the simulator's frames as it was recorded",
    async () => {
      for (const { name, lines } of files) {
        const events = await client().stream({ modelId: `replay+recording=${name}`, messages });

        expect(events.map((event) => Object.keys(event)[0])).toEqual(
          lines.map((line) => Object.keys(JSON.parse(line) as object)[0]),
        );
      }
    },
  );
});
