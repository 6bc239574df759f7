import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quirksAt } from "../providers.ts";
import { systemClock } from "../../core/clock.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { probeProvider, type ProbeCall } from "./probe-provider.ts";

const means = { fetch, elapsedMs: systemClock.elapsedMs };
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

const target = (changes: Partial<ProbeCall> = {}): ProbeCall => ({
  baseUrl: `${simulator.url}/v1`,
  upstreamModel: "sim-fast+tokens=3",
  dialect: "chat",
  secret: "s3cret-key",
  quirks: quirksAt(simulator.url),
  ...changes,
});

/** What a provider at this address would be sent, which is not sent there. */
async function asked(baseUrl: string, dialect: ProbeCall["dialect"]) {
  const calls: { headers: Record<string, string>; body: object }[] = [];
  const record: typeof fetch = (_, { headers, body } = {}) => {
    calls.push({ headers: headers as Record<string, string>, body: JSON.parse(body as string) as object });
    return Promise.resolve(new Response("no", { status: 503 }));
  };
  await probeProvider(target({ baseUrl, dialect, quirks: quirksAt(baseUrl) }), { ...means, fetch: record });
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

test.each(["chat", "responses", "messages"] as const)(
  "one call to a provider that speaks %s says how long it took, what it used and which rules it keeps",
  async (dialect) => {
    const result = await probeProvider(target({ dialect }), means);

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
    const result = await probeProvider(target({ baseUrl: `${serverUrl}/${status}` }), means);

    expect(result).toMatchObject({ status, examination: null });
    expect(result.problem).not.toContain("s3cret-key");
  }
  expect((await probeProvider(target({ baseUrl: `${serverUrl}/401` }), means)).problem).toMatch(/wrong key Bearer .*…/);
});

test("a provider that is not there, breaks off, or never ends is a problem and not a crash", async () => {
  const gone = await startSimulator({});
  await gone.close();

  const away = await probeProvider(target({ baseUrl: `${gone.url}/v1` }), means);
  const broken = await probeProvider(target({ upstreamModel: "m+tokens=5+fail=reset@2" }), means);
  const endless = await probeProvider(target({ baseUrl: `${serverUrl}/endless` }), means);

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
    const { problem } = await probeProvider(target({ dialect, secret }), { ...means, fetch: watched });

    expect(problem).toContain("cannot be sent");
    expect(problem).not.toMatch(/first-line|second-line/);
  }
  expect(calls).toBe(0);
});

test("a secret that a provider repeats is hidden before its words are cut, so that no half of it is left", async () => {
  const secret = "s3cret-key-of-many-characters";
  const words = `${"x ".repeat(145)}${secret}`;
  const repeated: typeof fetch = () => Promise.resolve(new Response(words, { status: 401 }));

  const { problem } = await probeProvider(target({ secret }), { ...means, fetch: repeated });

  expect(problem).toBe(`${"x ".repeat(145)}[secret]`);
});
