import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordings, sharedFolder } from "../support/recordings.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";

let simulator: SimulatorProcess;
let client: GoogleGenAI;
const contents = "Say something.";
const weather = { name: "weather", parametersJsonSchema: { type: "object", additionalProperties: false } };

beforeAll(async () => {
  simulator = await startSimulatorProcess();
  client = new GoogleGenAI({
    apiKey: "secret-value",
    httpOptions: { baseUrl: simulator.url, retryOptions: { attempts: 1 } },
  });
});
afterAll(async () => {
  expect(await simulator.stop()).toBe(0);
});

test("the model list and a single model are readable by Google's SDK", async () => {
  const names = (await Array.fromAsync(await client.models.list())).map(({ name }) => name);

  expect(names[0]).toBe("models/sim-fast");
  expect((await client.models.get({ model: "sim-fast" })).outputTokenLimit).toBe(65_536);
});

test("a plain answer has text, a finish reason and usage with thoughts outside the candidates' count", async () => {
  const answer = await client.models.generateContent({ model: "sim+tokens=3+thinking=5+input=10+cached=4", contents });

  expect(answer.text).toBe("amber harbor ocean");
  expect(answer.candidates?.[0]?.finishReason).toBe("STOP");
  expect(answer.usageMetadata).toMatchObject({
    promptTokenCount: 10,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 3,
    thoughtsTokenCount: 5,
    totalTokenCount: 18,
  });
});

test("a streamed answer adds up to the plain one", async () => {
  const ask = { model: "sim-fast+tokens=30", contents, config: { systemInstruction: "Be brief." } };
  const plain = await client.models.generateContent(ask);

  const chunks = await Array.fromAsync(await client.models.generateContentStream(ask));

  expect(chunks.map(({ text }) => text ?? "").join("")).toBe(plain.text);
  expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe("STOP");
  expect(chunks.at(-1)?.usageMetadata).toEqual(plain.usageMetadata);
});

test("thoughts are told apart from the answer by the SDK", async () => {
  const config = { thinkingConfig: { includeThoughts: true } };
  const ask = { model: "sim+tokens=2+thinking=2", contents, config };
  const chunks = await Array.fromAsync(await client.models.generateContentStream(ask));
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);

  expect(parts.map(({ thought = false, text }) => `${thought} ${text}`)).toEqual([
    "true Considering",
    "true  harbor",
    "false amber",
    "false  harbor",
    "false ",
  ]);
  expect(parts.at(-1)?.thoughtSignature).toBeTypeOf("string");
});

test("calls, their signature and their results go round in the SDK's own chat", async () => {
  const config = { tools: [{ functionDeclarations: [weather] }] };
  const chat = client.chats.create({ model: "sim+tools=weather,weather+once+thinking=2+tokens=3", config });
  const asked = await chat.sendMessage({ message: "Weather?" });
  const calls = asked.functionCalls ?? [];
  const message = calls.map(({ id = "", name = "" }) => ({
    functionResponse: { id, name, response: { output: "cold" } },
  }));

  const answered = await chat.sendMessage({ message });

  expect(calls).toMatchObject([{ args: { query: "amber" } }, { args: { query: "amber" } }]);
  expect(answered.text).toBe("amber harbor ocean");
});

test("a call without its signature, and a result without its call, are refused in Google's words", async () => {
  const functionCall = { name: "weather", args: {}, id: "fct_1_0" };
  const functionResponse = { name: "weather", response: { output: "cold" }, id: "fct_1_0" };
  const turns = [
    { role: "user", parts: [{ text: "Weather?" }] },
    { role: "model", parts: [{ functionCall }] },
    { role: "user", parts: [{ functionResponse }] },
  ];

  await expect(client.models.generateContent({ model: "sim", contents: turns })).rejects.toThrow("thought_signature");
  await expect(client.models.generateContent({ model: "sim", contents: turns.slice(2) })).rejects.toThrow(
    "comes immediately after a function call turn",
  );
});

test("a schema is answered with JSON that fits it, in either of the two ways to write one", async () => {
  const answers = await Promise.all(
    [
      { responseJsonSchema: { type: "object", properties: { city: { type: "string" } } } },
      { responseSchema: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } } },
    ].map((schema) =>
      client.models.generateContent({
        model: "sim",
        contents,
        config: { responseMimeType: "application/json", ...schema },
      }),
    ),
  );

  for (const { text } of answers) expect(JSON.parse(text ?? "")).toEqual({ city: "amber harbor" });
});

test("images, a stop sequence, a forced call and a limit are taken", async () => {
  const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
  const parts = [{ text: "What is it?" }, image];
  const config = {
    tools: [{ functionDeclarations: [weather] }],
    toolConfig: {
      functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["weather"] },
    },
  };
  const stopSequences = [" ocean"];
  const pictured = [{ role: "user", parts }];
  const stopped = await client.models.generateContent({ model: "sim", contents: pictured, config: { stopSequences } });
  const forced = await client.models.generateContent({ model: "sim", contents: pictured, config });
  const cut = await client.models.generateContent({ model: "sim", contents, config: { maxOutputTokens: 2 } });

  expect(stopped.text).toBe("amber harbor");
  expect(forced.functionCalls).toMatchObject([{ name: "weather" }]);
  expect(cut.candidates?.[0]?.finishReason).toBe("MAX_TOKENS");
});

test("a refused answer and a refused prompt are seen by the SDK", async () => {
  const answer = await client.models.generateContent({ model: "sim+refusal", contents });
  const prompt = await client.models.generateContent({ model: "sim+refusal+tokens=0", contents });

  expect(answer.candidates?.[0]?.finishReason).toBe("SAFETY");
  expect(prompt.candidates).toBeUndefined();
  expect(prompt.promptFeedback?.blockReason).toBe("PROHIBITED_CONTENT");
});

test("counting tokens gives the input the answer reports later", async () => {
  const counted = await client.models.countTokens({ model: "sim-fast", contents });
  const answer = await client.models.generateContent({ model: "sim-fast", contents });

  expect(counted.totalTokens).toBe(answer.usageMetadata?.promptTokenCount);
});

test("statuses arrive as the SDK's errors, and how long to wait stands in the details alone", async () => {
  await expect(client.models.generateContent({ model: "sim+fail=503", contents })).rejects.toBeInstanceOf(ApiError);

  const refused = await fetch(
    `${simulator.url}/v1beta/models/sim%2Bfail%3D429%2Bretry%3D34:generateContent?key=hidden-key`,
    {
      method: "POST",
      body: JSON.stringify({ contents: [{ parts: [{ text: "x" }] }] }),
    },
  );

  expect(refused.headers.get("retry-after")).toBeNull();
  expect(await refused.json()).toMatchObject({
    error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "34s" }] },
  });
});

test("a credential is taken from the header or the query, must be there, and is not written down", async () => {
  const post = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${simulator.url}/v1beta/models/sim:generateContent${query}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ contents: [{ parts: [{ text: "x" }] }] }),
    });

  expect((await post("?key=hidden-key&x=1")).status).toBe(200);
  expect((await post("", { "x-goog-api-key": "hidden-key" })).status).toBe(200);
  expect((await post("")).status).toBe(401);
  expect(JSON.stringify(await simulator.witness())).not.toContain("hidden-key");
});

test("a stream that fails in the middle raises an error after its tokens", async () => {
  const received: string[] = [];
  const stream = await client.models.generateContentStream({ model: "sim+fail=error@3+flush=each", contents });

  await expect(
    (async () => {
      for await (const { text } of stream) received.push(text ?? "");
    })(),
  ).rejects.toThrow(/overloaded/);
  expect(received.join("")).toBe("amber harbor ocean");
});

test.skipIf(sharedFolder() === null)(
  "every recorded stream is replayed event by event and read by the SDK",
  async () => {
    const files = recordings("gemini").filter((file) => file.lines.length > 0);
    expect(files.length).toBeGreaterThan(8);

    for (const file of files) {
      const model = `replay+recording=${file.name}`;
      const chunks = await Array.fromAsync(await client.models.generateContentStream({ model, contents }));

      expect(
        chunks.map(({ responseId }) => responseId),
        file.name,
      ).toHaveLength(file.lines.length);
    }
  },
);
