import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MESSAGE, modelFor } from "../contract/operations.ts";
import { issueKey } from "../contract/operator.ts";
import type { GatewayProcess } from "../support/gateway-process.ts";
import { type SignInGateway, startSignInGateway } from "../support/oidc/sign-in-gateway.ts";
import { until } from "../support/until.ts";

const GROUPS = `
  search -> member of Acme/Search with 50 per month
  poor -> member of Acme/Search with 0.001 per month
  free -> member of Acme/Free
`;
const SETTINGS = [
  { group: "*", settings: { model: "messages", env: { COMPANY: "Acme" } } },
  { group: "search", settings: { permissions: { deny: ["WebFetch"] } } },
];

type Collected = { url: string | undefined; headers: IncomingHttpHeaders; body: string };

let stage: SignInGateway;
let gateway: GatewayProcess;
let collector: Server;
const collected: Collected[] = [];
const folder = mkdtempSync(pathOf(tmpdir(), "tollgate-client-settings-"));

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      collected.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(503).end("full");
    });
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const file = pathOf(folder, "clients.json");
  writeFileSync(file, JSON.stringify(SETTINGS));
  stage = await startSignInGateway({
    groups: GROUPS,
    teams: ["Search", "Free"],
    models: {
      messages: modelFor(MESSAGE, "sim"),
      dear: { ...modelFor(MESSAGE, "sim"), price: { input: "1000", output: "1000" } },
    },
    settings: {
      TOLLGATE_SIGN_IN_CLIENT_SETTINGS: file,
      TOLLGATE_SIGN_IN_CLIENT_TELEMETRY_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/collect/`,
    },
  });
  ({ gateway } = stage);
});
afterAll(async () => {
  await stage?.stop();
  collector.close();
  rmSync(folder, { recursive: true });
});

function signedIn(login: string, ...groups: string[]): Promise<string> {
  stage.join(login, ...groups);
  return stage.signInClient(login);
}

const ask = (path: string, token: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.publicUrl}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });

const generate = (token: string, path = "/v1/messages", model = "messages"): Promise<Response> =>
  stage.sendMessage(token, { path, model });

describe("managed settings", () => {
  test("are those of everybody and of the person's groups, with telemetry on, under their checksum", async () => {
    const token = await signedIn("ann", "search");
    const response = await ask("/managed/settings", token);
    const body = (await response.json()) as { uuid: string; checksum: string; settings: Record<string, unknown> };

    expect(response.headers.get("etag")).toBe(`"${body.checksum}"`);
    expect(body.uuid).toBe(body.checksum);
    expect(body.checksum).toMatch(/^sha256:[\da-f]{64}$/);
    expect(body.settings).toEqual({
      model: "messages",
      permissions: { deny: ["WebFetch"] },
      env: {
        COMPANY: "Acme",
        CLAUDE_CODE_ENABLE_TELEMETRY: "1",
        OTEL_METRICS_EXPORTER: "otlp",
        OTEL_LOGS_EXPORTER: "otlp",
        OTEL_TRACES_EXPORTER: "otlp",
        OTEL_EXPORTER_OTLP_ENDPOINT: gateway.publicUrl,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      },
    });

    const known = await ask("/managed/settings", token, { "if-none-match": `"${body.checksum}"` });
    expect([known.status, await known.text()]).toEqual([304, ""]);
    expect((await ask("/managed/settings", token, { "if-none-match": '"sha256:other"' })).status).toBe(200);
    expect((await ask("/managed/settings", token, { "if-none-match": "*" })).status).toBe(200);
  });

  test("are not for keys, and a bearer that is not valid gets 401", async () => {
    const { secret } = await issueKey(gateway, { credit: "1" });

    expect((await ask("/managed/settings", secret)).status).toBe(404);
    const refused = await ask("/managed/settings", "tga_made_up");
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([401, "false"]);
  });
});

describe("usage and limits", () => {
  test("usage is told in cents and percents with the renewal", async () => {
    const token = await signedIn("bob", "search");
    await (await generate(token)).text();
    const response = await ask("/api/oauth/usage", token);

    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({
      extra_usage: {
        is_enabled: true,
        monthly_limit: 5_000,
        used_credits: expect.any(Number) as unknown,
        utilization: expect.any(Number) as unknown,
        currency: "USD",
      },
      limits: [
        {
          kind: "spend",
          group: "monthly",
          percent: expect.any(Number) as unknown,
          resets_at: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00.000Z$/) as unknown,
          severity: "normal",
          is_active: true,
        },
      ],
    });
  });

  test("somebody without a limit that renews is shown what they spent today, this week and this month", async () => {
    const token = await signedIn("fay", "free");
    await (await generate(token, "/v1/messages", "dear")).text();
    const response = await ask("/api/oauth/usage", token);

    const body = (await response.json()) as { extra_usage: { used_credits: number } };
    const { used_credits: spent } = body.extra_usage;
    const unlimited = { limit: null, used_credits: spent, utilization: null };
    expect(spent).toBeGreaterThan(0);
    expect(body).toEqual({
      extra_usage: {
        is_enabled: true,
        monthly_limit: null,
        used_credits: spent,
        utilization: null,
        currency: "USD",
        daily: unlimited,
        weekly: unlimited,
      },
      limits: [],
    });
  });

  test("a response tells how full the limit is, once it is known", async () => {
    const token = await signedIn("carl", "search");
    await (await generate(token)).text();
    const name = "anthropic-ratelimit-unified-overage-utilization";
    let told: Headers | null = null;
    await until(async () => {
      const response = await generate(token);
      await response.text();
      told = response.headers;
      return response.headers.has(name);
    }, "the limit is told");

    const headers = told as unknown as Headers;
    expect(Number(headers.get(name))).toBeLessThan(0.75);
    expect(headers.get("anthropic-ratelimit-unified-status")).toBe("allowed");
    expect(headers.get("anthropic-ratelimit-unified-representative-claim")).toBe("overage");

    const refused = await generate(token, "/v1/messages", "nobody");
    expect(refused.status).toBe(404);
    expect([...refused.headers.keys()].filter((each) => each.startsWith("anthropic-ratelimit"))).toEqual([]);
  });

  test("a session's used-up limit is 429 billing_error with the renewal on messages, and 402 on chat, as for keys [HDR-5]", async () => {
    const token = await signedIn("poor", "poor");
    const refused = await generate(token);
    const body = (await refused.json()) as { error: { type: string; message: string } };

    expect(refused.status).toBe(429);
    expect(body.error.type).toBe("billing_error");
    expect(body.error.message).toMatch(/has 0\.001 of 0\.001 credits left this month.*Renews 1 /);
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(refused.headers.get("anthropic-ratelimit-unified-status")).toBe("rejected");
    expect(refused.headers.get("anthropic-ratelimit-unified-overage-period")).toBe("monthly");
    expect(refused.headers.has("anthropic-ratelimit-unified-representative-claim")).toBe(false);
    const seconds = Number(refused.headers.get("retry-after"));
    const reset = Number(refused.headers.get("anthropic-ratelimit-unified-reset"));
    expect(Math.abs(Math.min(86_400, reset - Date.now() / 1_000) - seconds)).toBeLessThan(60);
    expect((await generate(token, "/v1/chat/completions")).status).toBe(402);

    const { secret } = await issueKey(gateway, { account: "Acme/Search/poor@acme.example" });
    const key = await generate(secret);
    expect([key.status, key.headers.has("anthropic-ratelimit-unified-status")]).toEqual([402, false]);
  });
});

describe("telemetry", () => {
  const tell = (token: string, signal: string, body: Buffer): Promise<Response> =>
    fetch(`${gateway.publicUrl}/v1/${signal}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/x-protobuf" },
      body: new Uint8Array(body),
    });

  test("goes to the collector without the bearer, and is answered with 200 though the collector refuses it", async () => {
    const token = await signedIn("dan", "search");
    for (const signal of ["metrics", "logs", "traces"])
      expect((await tell(token, signal, Buffer.from(`told ${signal}`))).status).toBe(200);
    await until(() => collected.length >= 3, "the collector got all");

    expect(collected.map(({ url = "", body }) => `${url} ${body}`).toSorted()).toEqual([
      "/collect/v1/logs told logs",
      "/collect/v1/metrics told metrics",
      "/collect/v1/traces told traces",
    ]);
    expect(collected.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    expect(collected.every(({ headers }) => headers["content-type"] === "application/x-protobuf")).toBe(true);
  });

  test("that is too large is dropped, and somebody without a session is not heard", async () => {
    const token = await signedIn("eve", "search");
    const before = collected.length;
    expect((await tell(token, "logs", Buffer.alloc(2_000_000))).status).toBe(200);
    expect((await tell("nobody", "logs", Buffer.from("x"))).status).toBe(401);
    expect((await tell(token, "logs", Buffer.from("small"))).status).toBe(200);
    await until(() => collected.length > before, "the collector got it");

    expect(collected.slice(before).map(({ body }) => body)).toEqual(["small"]);
  });
});
