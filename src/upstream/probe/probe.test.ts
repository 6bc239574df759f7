import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import type { ProbeTarget } from "../../core/catalogue/probe.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { prepareRoute } from "../route/prepare-route.ts";
import { createProbe } from "./probe.ts";

const means = { elapsedMs: systemClock.elapsedMs };
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let server: Server;
let serverUrl: string;
beforeAll(async () => {
  simulator = await startSimulator({});
  server = createServer((request, response) => {
    const [, word] = request.url?.split("/") ?? [];
    if (word === "endless") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(Buffer.alloc(2 * 1024 * 1024, "data: {}\n\n"));
      return;
    }
    const status = Number(word);
    response.writeHead(status, { location: "http://127.0.0.1:1/", "content-type": "application/json" });
    response.end(JSON.stringify({ error: `wrong key ${request.headers.authorization}` }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  serverUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(async () => {
  await simulator.close();
  server.close();
});

type Asked = ProbeTarget & { baseUrl: string; secret: string };

const probe = (changes: Partial<Asked> = {}, given: typeof fetch = fetch) => {
  const { baseUrl = `${simulator.url}/v1`, secret = "s3cret-key" } = changes;
  const { upstreamModel = "sim-fast+tokens=3", dialect = "chat" } = changes;
  return createProbe({ ...means, fetch: given })({ baseUrl, credential: secret }, { upstreamModel, dialect });
};

/** What a provider at this address would be sent, which is not sent there. */
async function asked(baseUrl: string, dialect: ProbeTarget["dialect"]) {
  const calls: { url: unknown; headers: Record<string, string>; body: object }[] = [];
  const record: typeof fetch = (url, { headers, body } = {}) => {
    calls.push({ url, headers: headers as Record<string, string>, body: JSON.parse(body as string) as object });
    return Promise.resolve(new Response("no", { status: 503 }));
  };
  await probe({ baseUrl, dialect }, record);
  return calls[0]!;
}

test("a provider is asked as the gateway asks it: where it wants its credential, and in the names it takes", async () => {
  const azure = await asked("https://x.openai.azure.com/openai/v1", "chat");
  const mistral = await asked("https://api.mistral.ai/v1", "chat");

  expect(azure.headers).toMatchObject({ "api-key": "s3cret-key" });
  expect(azure.headers).not.toHaveProperty("authorization");
  expect(azure.body).toMatchObject({ max_completion_tokens: 16, stream_options: { include_usage: true } });
  expect(azure.body).not.toHaveProperty("max_tokens");
  expect((await asked("https://x.openai.azure.com/openai/v1", "responses")).headers).toHaveProperty("api-key");
  expect(mistral.headers).toMatchObject({ authorization: "Bearer s3cret-key" });
  expect(mistral.body).toMatchObject({ max_tokens: 16 });
  expect(mistral.body).not.toHaveProperty("stream_options");
});

test("a provider is asked at the address and with the headers that its dialect's row gives to every call", async () => {
  for (const dialect of ["chat", "responses", "messages"] as const) {
    const route = { baseUrl: "https://api.example.com/v1/", dialect, upstreamModel: "sim-fast+tokens=3" };
    const { origin, paths, headers } = prepareRoute(route, "s3cret-key");

    expect(await asked(route.baseUrl, dialect)).toMatchObject({ url: origin + paths.streamed, headers });
  }
});

test.each(["chat", "responses", "messages"] as const)(
  "one call to a provider that speaks %s says how long it took, what it used and which rules it keeps",
  async (dialect) => {
    const result = await probe({ dialect });

    expect(result).toMatchObject({
      status: 200,
      problem: null,
      examination: { broken: [], usage: { outputTokens: 3 } },
    });
    expect(result.firstByteMs).toBeLessThanOrEqual(result.wholeMs);
  },
);

test("a refusal, a redirect and an answer that is no stream are problems, told without the credential", async () => {
  for (const status of [200, 302, 401]) {
    const result = await probe({ baseUrl: `${serverUrl}/${status}` });

    expect(result).toMatchObject({ status, examination: null });
    expect(result.problem).not.toContain("s3cret-key");
  }
  expect((await probe({ baseUrl: `${serverUrl}/401` })).problem).toMatch(/wrong key Bearer .*…/);
});

test("a provider that is not there, breaks off, or never ends is a problem and not a crash", async () => {
  const gone = await startSimulator({});
  await gone.close();

  const away = await probe({ baseUrl: `${gone.url}/v1` });
  const broken = await probe({ upstreamModel: "m+tokens=5+fail=reset@2" });
  const endless = await probe({ baseUrl: `${serverUrl}/endless` });

  expect(away).toMatchObject({ status: null, problem: expect.stringContaining("ECONNREFUSED") as string });
  expect(broken.problem).not.toBeNull();
  expect(endless.problem).toContain("larger than");
});

test("a credential that a header cannot carry, such as a file of several lines, is not sent and not repeated", async () => {
  let calls = 0;
  const watched: typeof fetch = (url, options) => {
    calls++;
    return fetch(url, options);
  };

  for (const dialect of ["chat", "responses", "messages"] as const) {
    const secret = "first-line\nsecond-line\n";
    const { problem } = await probe({ dialect, secret }, watched);

    expect(problem).toContain("cannot be sent");
    expect(problem).not.toMatch(/first-line|second-line/);
  }
  expect(calls).toBe(0);
});

test("a secret that a provider repeats is hidden before its words are cut, so that no half of it is left", async () => {
  const secret = "s3cret-key-of-many-characters";
  const words = `${"x ".repeat(145)}${secret}`;
  const repeated: typeof fetch = () => Promise.resolve(new Response(words, { status: 401 }));

  const { problem } = await probe({ secret }, repeated);

  expect(problem).toBe(`${"x ".repeat(145)}[secret]`);
});

test("a Gemini provider is asked in its own words, and its thoughts are counted with what it said", async () => {
  const { url, headers, body } = await asked("https://generativelanguage.googleapis.com/v1beta", "gemini");
  const answered = await probe({ dialect: "gemini", upstreamModel: "sim-fast+tokens=3+thinking=2+input=9" });
  const cut = await probe({ dialect: "gemini", upstreamModel: "sim-fast+tokens=9+fail=close@3" });

  expect(url).toMatch(
    /^https:\/\/generativelanguage.googleapis.com\/v1beta\/models\/[^/]+:streamGenerateContent\?alt=sse$/,
  );
  expect(headers).toMatchObject({ "x-goog-api-key": "s3cret-key" });
  expect(body).toEqual({
    contents: [{ role: "user", parts: [{ text: expect.any(String) as string }] }],
    generationConfig: { maxOutputTokens: 16 },
  });
  expect(answered).toMatchObject({
    problem: null,
    examination: { broken: [], usage: { inputTokens: 9, outputTokens: 5 } },
  });
  expect(cut.examination?.broken).toEqual(["a candidate has a finishReason"]);
});

test("a route of embeddings is asked for one, and an answer without any is told", async () => {
  const whole = await probe({ dialect: "embeddings", upstreamModel: "sim-embed" });
  const empty = await probe({ dialect: "embeddings", upstreamModel: "sim-embed+vectors=short" });
  const refused = await probe({ dialect: "embeddings", upstreamModel: "sim-embed+fail=404" });
  const { url, body } = await asked("https://api.openai.com/v1", "embeddings");

  expect(whole).toMatchObject({ status: 200, problem: null, examination: null });
  expect(empty).toMatchObject({ status: 200, problem: "the answer has no embedding for the one input" });
  expect(refused).toMatchObject({ status: 404 });
  expect(url).toBe("https://api.openai.com/v1/embeddings");
  expect(body).not.toHaveProperty("stream");
});
