import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../support/gateway-process.ts";
import { until } from "../support/until.ts";

/** Of a revoked key, asked for one after the other. On a quiet machine they take less than a second; until it is read again it would be thousands. */
const SERVED_AFTERWARDS = 50;

let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

const messages = [{ role: "user" as const, content: "Hello" }];
const origins = [
  { mode: "credit" as const, prefix: "" },
  { mode: "token_budget" as const, prefix: "/token" },
];

const client = (prefix: string, apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${gateway.publicUrl}${prefix}/v1`, maxRetries: 0 });

test.each(origins)("the official SDK lists models on the $mode origin [MOD-13]", async ({ mode, prefix }) => {
  const models = await Array.fromAsync(client(prefix, gateway.keys[mode]).models.list());

  expect(models.map(({ id }) => id)).toContain("sim-fast");
});

test.each(origins)("the official SDK gets a plain answer on the $mode origin", async ({ mode, prefix }) => {
  const answer = await client(prefix, gateway.keys[mode]).chat.completions.create({ model: "sim-fast", messages });

  expect(answer.choices[0]?.message.content).toMatch(/^\w+ \w+/);
  expect(answer.usage?.completion_tokens).toBe(40);
  expect(answer._request_id).toMatch(/^req_[0-9a-f]{32}$/);
});

test.each(origins)(
  "the official SDK's stream helper accepts a streamed answer on the $mode origin",
  async ({ mode, prefix }) => {
    const stream = client(prefix, gateway.keys[mode]).chat.completions.stream({ model: "sim-fast", messages });
    const final = await stream.finalChatCompletion();

    expect(final.choices[0]?.finish_reason).toBe("stop");
    expect(final.choices[0]?.message.content?.split(" ")).toHaveLength(40);
  },
);

test("usage reaches a streaming client that asked for it, and no other [STR-24] [STR-25]", async () => {
  const ask = async (options: object): Promise<number> => {
    const stream = await client("", gateway.keys.credit).chat.completions.create({
      model: "sim-fast",
      messages,
      stream: true,
      ...options,
    });
    const chunks = await Array.fromAsync(stream);
    return chunks.filter(({ usage }) => usage).length;
  };

  expect(await ask({ stream_options: { include_usage: true } })).toBe(1);
  expect(await ask({})).toBe(0);
});

test("tool calls pass through whole", async () => {
  const answer = await client("", gateway.keys.credit).chat.completions.create({ model: "sim-tools", messages });

  expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({
    type: "function",
    function: { name: "get_weather" },
  });
});

test("a refusal reaches the SDK as its own error class with code and request id", async () => {
  const refusal = client("", gateway.keys.credit).chat.completions.create({ model: "no-such-model", messages });

  await expect(refusal).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  await expect(refusal).rejects.toMatchObject({ status: 404, code: "model_not_found", param: "model" });
  await expect(refusal).rejects.toHaveProperty("requestID", expect.stringMatching(/^req_/));
});

test("a terminal refusal is not retried by the SDK", async () => {
  let calls = 0;
  const counting = new OpenAI({
    apiKey: "tgc_wrong",
    baseURL: `${gateway.publicUrl}/v1`,
    maxRetries: 3,
    fetch: (input, init) => {
      calls++;
      return fetch(input, init);
    },
  });

  await expect(counting.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  expect(calls).toBe(1);
});

test("a key made in a second terminal works at once, and a revoked one stops after a few requests", async () => {
  const made = await gateway.tollgate("keys", "create", "--label", "second terminal", "--credit", "10", "--json");
  const { key, secret } = JSON.parse(made.stdout) as { key: { id: string }; secret: string };
  rememberSecrets([secret]);
  const holder = client("", secret);

  await expect(holder.models.list()).resolves.toBeDefined();
  const revoked = await gateway.tollgate("keys", "revoke", key.id, "--json");
  expect(revoked.code).toBe(0);
  let served = 0;
  const stopped = async (): Promise<boolean> => {
    if (!(await works(holder))) return true;
    served += 1;
    return false;
  };
  await until(stopped, "it stops");
  expect(served).toBeLessThan(SERVED_AFTERWARDS);
});

async function works(holder: OpenAI): Promise<boolean> {
  return holder.models.list().then(
    () => true,
    (error: unknown) => {
      if (error instanceof OpenAI.AuthenticationError) return false;
      throw error;
    },
  );
}
