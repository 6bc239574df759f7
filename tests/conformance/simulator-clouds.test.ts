import { GoogleGenAI } from "@google/genai";
import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bedrockClient,
  type CloudClient,
  foundryClient,
  installCloudSdks,
  vertexClient,
} from "../support/clouds/cloud-sdks.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";

const installed = await installCloudSdks();
if (installed.missing !== null)
  process.stderr.write(`skipped: Anthropic's clients for clouds cannot be installed: ${installed.missing}\n`);

let simulator: SimulatorProcess;
beforeAll(async () => {
  simulator = await startSimulatorProcess();
});
afterAll(async () => {
  expect(await simulator.stop()).toBe(0);
});

const messages = [{ role: "user" as const, content: "Say something." }];
const asked = (model: string) => ({ model, max_tokens: 100, messages });

const CLIENTS: Record<string, () => CloudClient> = {
  "Bedrock with signatures": () => bedrockClient(installed, simulator.url, "signed"),
  "Bedrock with its own key": () => bedrockClient(installed, simulator.url, "bearer"),
  Vertex: () => vertexClient(installed, `${simulator.url}/v1`),
  "Foundry with a key": () => foundryClient(installed, `${simulator.url}/anthropic`, "key"),
  "Foundry with Entra": () => foundryClient(installed, `${simulator.url}/anthropic`, "entra"),
};

describe.skipIf(installed.missing)("Anthropic's own clients for clouds", () => {
  test.each(Object.entries(CLIENTS))("%s gets a whole message with its usage", async (_cloud, client) => {
    const answer = await client().messages.create(asked("sim+tokens=3+input=10+cached=4"));

    expect(answer.content).toMatchObject([{ type: "text", text: "amber harbor ocean" }]);
    expect(answer.usage).toMatchObject({ input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 3 });
  });

  test.each(Object.entries(CLIENTS))("%s gets a stream that adds up to the whole message", async (_cloud, client) => {
    const plain = await client().messages.create(asked("sim-fast+tokens=30"));
    const streamed = await client().messages.stream(asked("sim-fast+tokens=30")).finalMessage();

    expect(streamed.content).toEqual(plain.content);
    expect([streamed.stop_reason, streamed.usage.output_tokens]).toEqual(["end_turn", 30]);
  });

  test.each(Object.entries(CLIENTS))(
    "%s gets calls of tools, and thoughts with their proof",
    async (_cloud, client) => {
      const tools = [{ name: "weather", input_schema: { type: "object" as const } }];
      const called = client().messages.stream({ ...asked("sim+tools=weather"), tools });
      const thinking = { type: "enabled" as const, budget_tokens: 1_024 };
      const thought = client().messages.stream({ ...asked("sim+thinking=5+tokens=3"), max_tokens: 2_000, thinking });

      expect((await called.finalMessage()).content.map(({ type }) => type)).toContain("tool_use");
      expect((await thought.finalMessage()).content[0]).toMatchObject({
        type: "thinking",
        signature: expect.any(String),
      });
    },
  );

  test.each(Object.entries(CLIENTS))(
    "%s gets an error for a refusal and for a stream that fails",
    async (_cloud, client) => {
      await expect(client().messages.create(asked("sim+fail=429"))).rejects.toMatchObject({ status: 429 });
      await expect(client().messages.stream(asked("sim+fail=error@3+tokens=9")).finalMessage()).rejects.toThrow();
    },
  );

  test("what a cloud does not know it refuses by its name", async () => {
    const ask = { ...asked("sim"), service_tier: "standard_only" as const };

    for (const cloud of ["Bedrock with signatures", "Vertex"])
      await expect(CLIENTS[cloud]?.().messages.create(ask), cloud).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("service_tier: Extra inputs are not permitted"),
      });
  });

  test("Vertex counts the tokens of an input", async () => {
    const { input_tokens: tokens } = await vertexClient(installed, `${simulator.url}/v1`).messages.countTokens({
      model: "sim+input=17",
      messages,
    });

    expect(tokens).toBe(17);
  });

  test("a model's name is one segment, whatever is in it", async () => {
    const model = "arn:aws:bedrock:eu:1:application-inference-profile/sim+tokens=3";
    await bedrockClient(installed, simulator.url, "signed").messages.create(asked(model));

    expect((await simulator.witness()).at(-1)).toMatchObject({ model });
  });
});

test("Google's own client is served by an address of a project", async () => {
  const client = new GoogleGenAI({
    vertexai: true,
    project: "acme",
    location: "europe-west4",
    googleAuthOptions: {
      authClient: {
        getRequestHeaders: () => Promise.resolve(new Headers({ authorization: "Bearer ya29.token" })),
      } as never,
    },
    httpOptions: { baseUrl: simulator.url, retryOptions: { attempts: 1 } },
  });
  const ask = { model: "sim+tokens=3+thinking=5+input=10", contents: "Say something." };
  const chunks = await Array.fromAsync(await client.models.generateContentStream(ask));

  expect((await client.models.generateContent(ask)).text).toBe("amber harbor ocean");
  expect(chunks.map(({ text }) => text ?? "").join("")).toBe("amber harbor ocean");
  expect(chunks.at(-1)?.usageMetadata).toMatchObject({ candidatesTokenCount: 3, thoughtsTokenCount: 5 });
  expect((await client.models.countTokens(ask)).totalTokens).toBe(10);
});

describe("OpenAI's own clients in Azure", () => {
  const options = { apiKey: "a-key", maxRetries: 0 };
  const clients: Record<string, () => OpenAI> = {
    "addresses of deployments": () =>
      new AzureOpenAI({ ...options, endpoint: simulator.url, apiVersion: "2024-10-21" }),
    "addresses without versions": () => new OpenAI({ ...options, baseURL: `${simulator.url}/openai/v1` }),
    "a token of Entra": () =>
      new AzureOpenAI({
        endpoint: simulator.url,
        apiVersion: "2024-10-21",
        maxRetries: 0,
        azureADTokenProvider: () => Promise.resolve("an-entra-token"),
      }),
  };

  test.each(Object.entries(clients))(
    "by %s get answers, streams with the words of filters, and responses",
    async (_how, client) => {
      const ask = { model: "sim+tokens=3", messages };
      const plain = await client().chat.completions.create(ask);
      const chunks = await Array.fromAsync(
        await client().chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } }),
      );
      const response = await client().responses.create({ model: "sim+tokens=3", input: "Say something." });

      expect(plain.choices[0]?.message.content).toBe("amber harbor ocean");
      expect(chunks.map(({ choices }) => choices[0]?.delta?.content ?? "").join("")).toBe("amber harbor ocean");
      expect(chunks[0]).toMatchObject({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
      expect(chunks.find(({ choices }) => choices[0] && choices[0].delta === undefined)).toBeDefined();
      expect(response.output_text).toBe("amber harbor ocean");
    },
  );

  test("an address without its version is none", async () => {
    const answer = await fetch(`${simulator.url}/openai/deployments/sim/chat/completions`, {
      method: "POST",
      headers: { "api-key": "k", "content-type": "application/json" },
      body: JSON.stringify({ messages }),
    });

    expect(answer.status).toBe(404);
  });
});
