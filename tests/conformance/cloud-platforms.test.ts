import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, knock, type Reply } from "../contract/knock.ts";
import { openStream } from "../contract/open-stream.ts";
import { chargesOf, type IssuedKey, issueKey } from "../contract/operator.ts";
import { type Refused, startIssuer, startStrictProxy, type StrictProxy } from "../support/clouds/strict-proxy.ts";
import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";
import { JSON_TYPE } from "../support/holder-client.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServedCatalogue, serveCatalogue } from "../support/serve-catalogue.ts";
import { until } from "../support/until.ts";

const ADMIN_TOKEN = "an-admin-token-above-the-clouds";
/** Nano-credits for a token. */
const [INPUT, OUTPUT] = [3_301n, 16_507n];
const SCRIPT = "sim+tokens=7+input=11";

type Format = "chat" | "responses" | "messages";
type Case = { model: string; provider: string; format: string; client: Format; path: RegExp };

const CASES: readonly Case[] = [
  {
    model: "claude-by-invoke",
    provider: "bedrock",
    format: "messages",
    client: "messages",
    path: /^\/model\/sim%2B[^/]+\/invoke/,
  },
  { model: "claude-by-invoke", provider: "bedrock", format: "messages", client: "chat", path: /\/invoke/ },
  {
    model: "claude-by-predict",
    provider: "vertex",
    format: "messages",
    client: "messages",
    path: /:(rawPredict|streamRawPredict)$/,
  },
  { model: "claude-by-predict", provider: "vertex", format: "messages", client: "responses", path: /awPredict$/ },
  {
    model: "gemini-in-vertex",
    provider: "vertex",
    format: "gemini",
    client: "chat",
    path: /\/publishers\/google\/models\/sim/,
  },
  {
    model: "vertex-openapi",
    provider: "vertex",
    format: "chat",
    client: "chat",
    path: /\/endpoints\/openapi\/chat\/completions$/,
  },
  {
    model: "deployment",
    provider: "azure-deployments",
    format: "chat",
    client: "chat",
    path: /^\/openai\/deployments\/sim[^/]+\/chat\/completions\?api-version=2024-10-21$/,
  },
  {
    model: "deployed-responses",
    provider: "azure-deployments",
    format: "responses",
    client: "responses",
    path: /^\/openai\/responses\?api-version=2024-10-21$/,
  },
  { model: "azure-chat", provider: "azure", format: "chat", client: "chat", path: /^\/openai\/v1\/chat\/completions$/ },
  {
    model: "foundry-claude",
    provider: "foundry",
    format: "messages",
    client: "messages",
    path: /^\/anthropic\/v1\/messages$/,
  },
];
const BODIES: Record<Format, { path: string; body: object }> = {
  chat: { path: "/v1/chat/completions", body: { max_tokens: 50, messages: [{ role: "user", content: "Hello" }] } },
  responses: { path: "/v1/responses", body: { max_output_tokens: 50, input: "Hello" } },
  messages: { path: "/v1/messages", body: { max_tokens: 50, messages: [{ role: "user", content: "Hello" }] } },
};
const CLOUDS = { bedrock: "aws", vertex: "google", "azure-deployments": "entra" } as const;

const random = (): string => `token-${randomBytes(20).toString("hex")}`;
/** What each cloud has handed out last, and takes. */
const current: Record<"aws" | "google" | "entra", string[]> = { aws: [], google: [], entra: [] };
/** A credential that is refused is renewed no sooner after the last. */
const RENEWED_EVERY_MS = 30_000;
const handedOutAtMs = { aws: 0, google: 0, entra: 0 };
const handOut = (cloud: keyof typeof current): string => {
  const token = random();
  handedOutAtMs[cloud] = performance.now();
  rememberSecrets([token]);
  current[cloud].push(token);
  return token;
};
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** Each takes its newest credential alone, and says of the others that they have expired, in its own words. */
function keepGate(headers: Record<string, unknown>, path: string): Refused | null {
  const authorization = String(headers["authorization"]);
  if (path.startsWith("/model/")) {
    if (authorization.startsWith("AWS4-HMAC-SHA256 ") && headers["x-amz-security-token"] === current.aws.at(-1))
      return null;
    const type = {
      "x-amzn-errortype": "ExpiredTokenException:http://internal.amazon.com/coral/com.amazon.coral.service/",
    };
    return { status: 403, headers: type, body: { message: "The security token included in the request is expired" } };
  }
  const isGoogle = path.startsWith("/v1/projects/");
  if (authorization === `Bearer ${current[isGoogle ? "google" : "entra"].at(-1)}`) return null;
  return isGoogle
    ? { status: 401, body: { error: { code: 401, message: "Invalid credentials", status: "UNAUTHENTICATED" } } }
    : {
        status: 401,
        body: { statusCode: 401, message: "Unauthorized. Access token is missing, invalid, or have expired." },
      };
}

describe.skipIf(whyUnavailable("15"))("models in clouds", () => {
  let proxy: StrictProxy;
  let stage: ServedCatalogue;
  let gateway: GatewayProcess;
  let issuers: { url: string; close: () => void }[];

  beforeAll(async () => {
    proxy = await startStrictProxy(keepGate);
    issuers = await Promise.all([
      startIssuer(() => ({
        AccessKeyId: "ASIAEXAMPLEEXAMPLE00",
        SecretAccessKey: "secret-of-a-test",
        Token: handOut("aws"),
        Expiration: inAnHour(),
      })),
      startIssuer(() => ({ access_token: handOut("google"), expires_in: 3_600, token_type: "Bearer" })),
      startIssuer(() => ({ access_token: handOut("entra"), expires_in: 3_600, token_type: "Bearer" })),
    ]);
    const [aws, google, entra] = issuers.map(({ url }) => url);
    const at = (path: string): string => `${proxy.url}${path}`;
    const modelOf = (id: string, provider: string, format: string, script: string) => ({
      id,
      provider,
      max_output_tokens: 100_000,
      price: { input: "3.301", output: "16.507" },
      routes: [{ provider, upstream_model: script, format }],
    });
    const once = CASES.filter(({ model }, place) => CASES.findIndex((each) => each.model === model) === place);
    stage = await serveCatalogue({
      adminToken: ADMIN_TOKEN,
      catalogueAt: (simulatorUrl) => {
        proxy.leadTo(simulatorUrl);
        return {
          providers: [
            { name: "bedrock", base_url: at(""), credential: "aws", platform: "bedrock" },
            {
              name: "vertex",
              base_url: at("/v1/projects/acme/locations/eu"),
              credential: "google",
              platform: "vertex",
            },
            { name: "azure-deployments", base_url: at("/openai"), credential: "entra", platform: "azure:2024-10-21" },
            { name: "azure", base_url: at("/openai/v1"), credential: "entra", platform: "azure" },
            { name: "foundry", base_url: at("/anthropic/v1"), credential: "entra", platform: "azure" },
          ],
          models: [
            ...once.map(({ model, provider, format }) => modelOf(model, provider, format, SCRIPT)),
            ...once.map(({ model, provider, format }) =>
              modelOf(`${model}-endless`, provider, format, "sim+tokens=100000+rate=50+input=11"),
            ),
            modelOf("bedrock-breaks", "bedrock", "messages", "sim+tokens=9+fail=error@4+input=11"),
            modelOf("bedrock-refuses", "bedrock", "messages", "sim+fail=400"),
            {
              ...modelOf("fails-over", "bedrock", "messages", "sim+fail=error@0"),
              routes: [
                { provider: "bedrock", upstream_model: "sim+fail=503", format: "messages" },
                { provider: "vertex", upstream_model: SCRIPT, format: "messages", priority: 1 },
              ],
            },
          ],
        };
      },
      settings: {
        TOLLGATE_CREDENTIAL_ALLOWED_REFERENCES: ["aws", "google", "entra"]
          .map((name) => `${name}=${proxy.url}`)
          .join(", "),
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws}/credentials`,
        AWS_REGION: "eu-central-1",
        GCE_METADATA_HOST: String(google).replace("http://", ""),
        AZURE_AUTHORITY_HOST: String(entra),
        AZURE_TENANT_ID: randomUUID(),
        AZURE_CLIENT_ID: randomUUID(),
        AZURE_CLIENT_SECRET: random(),
      },
    });
    const { url: publicUrl, adminUrl } = stage.served;
    gateway = { publicUrl, adminUrl, adminToken: ADMIN_TOKEN } as GatewayProcess;
  });
  afterAll(async () => {
    await stage?.stop();
    proxy?.close();
    for (const { close } of issuers ?? []) close();
  });

  const newKey = (): Promise<IssuedKey> => issueKey(gateway, { credit: "1000" });
  const ask = (key: IssuedKey, client: Format, more: object, below = ""): Promise<Reply> =>
    knock(`${gateway.publicUrl}${BODIES[client].path}${below}`, {
      method: "POST",
      headers: [...bearer(key.secret), ...JSON_TYPE],
      body: JSON.stringify({ ...BODIES[client].body, ...more }),
    });
  const nanoOf = (credits: string): bigint => BigInt(Math.round(Number(credits) * 1e9));
  const charged = async (key: IssuedKey) => {
    await until(async () => (await chargesOf(gateway, key)).length > 0, "the charge is in the journal");
    const [charge] = await chargesOf(gateway, key);
    return {
      nano: nanoOf(charge?.amount ?? "0"),
      input: charge?.input_tokens ?? 0,
      output: charge?.output_tokens ?? 0,
    };
  };
  const nano = (input: number, output: number): bigint => -(BigInt(input) * INPUT + BigInt(output) * OUTPUT);

  test.each(CASES)(
    "$model for a client of $client is asked where its cloud says, and charged to the nano",
    async ({ model, client, path }) => {
      for (const stream of [false, true]) {
        const key = await newKey();
        const usage = client === "chat" && stream ? { stream_options: { include_usage: true } } : {};
        const { status, text } = await ask(key, client, { model, stream, ...usage });

        expect([status, text.includes("amber")], text).toEqual([200, true]);
        expect(text).not.toMatch(/amazon-bedrock|ASIA/);
        expect(proxy.asked.at(-1)).toMatch(path);
        expect(await charged(key)).toEqual({ nano: nano(11, 7), input: 11, output: 7 });
      }
    },
  );

  test.each(CASES)(
    "a stream of $model that a client of $client leaves is charged for what it was sent",
    async ({ model, client }) => {
      const key = await newKey();
      const { path, body } = BODIES[client];
      const operation = { path, body } as Parameters<typeof openStream>[0];
      const limit = client === "responses" ? { max_output_tokens: 1_000 } : { max_tokens: 1_000 };
      const response = await openStream(operation, {
        gateway,
        key: key.secret,
        fields: { model: `${model}-endless`, ...limit },
      });
      await once(response, "data");
      let received = 0;
      response.on("data", () => received++);
      await until(() => received > 8, "some of the answer arrives");
      response.destroy();

      const { nano: taken, input, output } = await charged(key);
      expect(output).toBeGreaterThan(3);
      expect(output).toBeLessThan(1_000);
      expect(taken).toBe(nano(input, output));
    },
  );

  test.each(["bedrock", "vertex"] as const)("%s counts the tokens of an input", async (cloud) => {
    const model = cloud === "bedrock" ? "claude-by-invoke" : "claude-by-predict";
    const { max_tokens: _, ...body } = BODIES.messages.body as Record<string, unknown>;
    const reply = await knock(`${gateway.publicUrl}/v1/messages/count_tokens`, {
      method: "POST",
      headers: [...bearer((await newKey()).secret), ...JSON_TYPE],
      body: JSON.stringify({ ...body, model }),
    });

    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { input_tokens: 11 }]);
    expect(proxy.asked.at(-1)).toMatch(/count-tokens/);
  });

  test("flags and members that a cloud refuses do not reach it, and what belongs together goes together", async () => {
    const tool = { name: "weather", input_schema: { type: "object" }, defer_loading: true, input_examples: [{}] };
    for (const model of ["claude-by-invoke", "claude-by-predict"]) {
      const { status, text } = await knock(`${gateway.publicUrl}/v1/messages`, {
        method: "POST",
        headers: [
          ...bearer((await newKey()).secret),
          ...JSON_TYPE,
          "anthropic-version",
          "2026-10-21",
          "anthropic-beta",
          "advanced-tool-use-2025-11-20,context-management-2025-06-27,claude-code-20250219",
        ],
        body: JSON.stringify({
          ...BODIES.messages.body,
          model,
          tools: [tool],
          system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", scope: "global" } }],
          context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
          service_tier: "auto",
        }),
      });

      expect(status, text).toBe(200);
    }
  });

  test("a refusal is told in the client's format, and an exception amid a stream is an error event", async () => {
    const refused = await ask(await newKey(), "messages", { model: "bedrock-refuses" });
    const key = await newKey();
    const broken = await ask(key, "messages", { model: "bedrock-breaks", stream: true });

    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      400,
      { error: { type: "invalid_request_error" } },
    ]);
    expect(broken.text).toContain("event: error");
    expect(broken.text).not.toContain("message_stop");
  });

  test("a model in two clouds is answered by the one that can", async () => {
    const key = await newKey();
    const { status, text } = await ask(key, "messages", { model: "fails-over", stream: true });

    expect([status, text.includes("message_stop")]).toEqual([200, true]);
    expect(proxy.asked.slice(-2).map((path) => path.split("/").at(-1))).toEqual([
      "invoke-with-response-stream",
      expect.stringMatching(/:streamRawPredict$/),
    ]);
    expect(await charged(key)).toEqual({ nano: nano(11, 7), input: 11, output: 7 });
  });

  test("an operator tests such a provider as it is called", async () => {
    for (const [provider, format] of [
      ["bedrock", "messages"],
      ["vertex", "messages"],
      ["vertex", "gemini"],
      ["azure-deployments", "chat"],
    ] as const) {
      const words = ["providers", "test", provider, "--model", SCRIPT, "--format", format, "--json"];
      const { stdout, stderr } = await runTollgate(words, {
        cwd: stage.folder,
        env: { ...stage.environment, TOLLGATE_URL: gateway.adminUrl, TOLLGATE_TOKEN: ADMIN_TOKEN },
      });

      expect(JSON.parse(stdout || "{}"), stdout + stderr).toMatchObject({ ok: true, usage: { input_tokens: 11 } });
    }
  });

  test.each(Object.entries(CLOUDS))(
    "at %s a credential that has expired is renewed once, and the call is charged once",
    async (provider, cloud) => {
      const { model, client } = CASES.find((each) => each.provider === provider) as Case;
      const key = await newKey();
      await until(() => performance.now() - handedOutAtMs[cloud] > RENEWED_EVERY_MS, "it may be renewed again", 40_000);
      const handedOut = current[cloud].length;
      current[cloud].push("a-newer-one-that-nobody-has");
      const { status, text } = await ask(key, client, { model, stream: true });

      expect(status, text).toBe(200);
      expect(current[cloud].length).toBe(handedOut + 2);
      expect((await charged(key)).nano).toBe(nano(11, 7));
      expect(await chargesOf(gateway, key)).toHaveLength(1);
    },
  );
});
