import { expect, test } from "vitest";
import type { RouteFormat } from "../../core/request/dialect.ts";
import { prepareRoute } from "../route/prepare-route.ts";
import { UpstreamError } from "../upstream.ts";

type Place = { baseUrl: string; dialect: RouteFormat; upstreamModel: string; platform?: string };
const prepared = (place: Place, secret: string | null = null) => prepareRoute(place, secret);

const VERTEX = "https://europe-west4-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west4";
const BEDROCK = "https://bedrock-runtime.eu-central-1.amazonaws.com";
const ARN = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123";

/** As the official SDKs ask for them. */
test.each<
  [dialect: RouteFormat, baseUrl: string, model: string, whole: string, streamed: string, count: string | null]
>([
  [
    "gemini",
    VERTEX,
    "gemini-3-pro",
    "/publishers/google/models/gemini-3-pro:generateContent",
    "/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse",
    null,
  ],
  [
    "gemini",
    VERTEX,
    "endpoints/1234",
    "/endpoints/1234:generateContent",
    "/endpoints/1234:streamGenerateContent?alt=sse",
    null,
  ],
  [
    "messages",
    VERTEX,
    "claude-sonnet-4-5@20250929",
    "/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
    "/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
    "/publishers/anthropic/models/count-tokens:rawPredict",
  ],
  [
    "chat",
    VERTEX,
    "google/gemini-3-pro",
    "/endpoints/openapi/chat/completions",
    "/endpoints/openapi/chat/completions",
    null,
  ],
  [
    "messages",
    BEDROCK,
    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke",
    "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream",
    "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens",
  ],
  [
    "messages",
    BEDROCK,
    ARN,
    `/model/${encodeURIComponent(ARN)}/invoke`,
    `/model/${encodeURIComponent(ARN)}/invoke-with-response-stream`,
    `/model/${encodeURIComponent(ARN)}/count-tokens`,
  ],
])("%s at %s is asked where its cloud says: %s", (dialect, baseUrl, upstreamModel, whole, streamed, count) => {
  const at = new URL(baseUrl).pathname.replace(/\/$/, "");
  const named = { vertex: VERTEX, bedrock: BEDROCK };
  const platform = baseUrl === named.vertex ? "vertex" : "bedrock";
  const loopback = `http://127.0.0.1:1234${at}`;
  for (const place of [{ baseUrl }, { baseUrl: loopback, platform }]) {
    const { paths } = prepared({ ...place, dialect, upstreamModel });

    expect([paths.whole, paths.streamed]).toEqual([at + whole, at + streamed]);
    if (count !== null) expect(paths.count).toBe(at + count);
  }
});

test("the addresses of deployments name the deployment and the version", () => {
  const baseUrl = "https://mine.openai.azure.com/openai";
  const place = { baseUrl, platform: "azure:2024-10-21", upstreamModel: "my deployment" };

  expect(prepared({ ...place, dialect: "chat" }).paths.streamed).toBe(
    "/openai/deployments/my%20deployment/chat/completions?api-version=2024-10-21",
  );
  expect(prepared({ ...place, dialect: "responses" }).paths.whole).toBe("/openai/responses?api-version=2024-10-21");
  expect(prepared({ ...place, dialect: "embeddings" }).paths.whole).toBe(
    "/openai/deployments/my%20deployment/embeddings?api-version=2024-10-21",
  );
  expect(prepared({ ...place, dialect: "chat" }, "key").headers).toMatchObject({ "api-key": "key" });
});

test("behind a proxy a cloud is called as it is at its own hosts", () => {
  const baseUrl = "http://127.0.0.1:1234/openai/v1";
  const { headers, quirks, paths } = prepared(
    { baseUrl, dialect: "chat", upstreamModel: "d", platform: "azure" },
    "key",
  );

  expect(headers).toMatchObject({ "api-key": "key" });
  expect(headers).not.toHaveProperty("authorization");
  expect(quirks.chat.outputLimitField).toBe("max_completion_tokens");
  expect(paths.whole).toBe("/openai/v1/chat/completions");
});

test.each([
  ["vertex", VERTEX],
  ["bedrock", BEDROCK],
])("a key of messages goes to %s as a bearer's, without the version that bodies have there", (platform, baseUrl) => {
  for (const place of [{ baseUrl }, { baseUrl: "http://127.0.0.1:1/x", platform }]) {
    const { headers } = prepared({ ...place, dialect: "messages", upstreamModel: "claude" }, "key");

    expect(headers).toEqual({
      "content-type": "application/json",
      "user-agent": "tollgate",
      authorization: "Bearer key",
    });
  }
});

test("a caller's version and flags reach a cloud as it takes them, and the trace goes along", () => {
  const asked = {
    "anthropic-version": "2026-10-21",
    "anthropic-beta": "interleaved-thinking-2025-05-14,fast-mode-2026-02-01,advanced-tool-use-2025-11-20",
    traceparent: "00-1-2-01",
  };
  const told = (baseUrl: string) => prepared({ baseUrl, dialect: "messages", upstreamModel: "claude" }).told?.(asked);

  expect(told(VERTEX)).toEqual({
    "anthropic-beta": "interleaved-thinking-2025-05-14,tool-search-tool-2025-10-19",
    traceparent: "00-1-2-01",
  });
  expect(told(BEDROCK)).toEqual({ traceparent: "00-1-2-01" });
  expect(told("https://api.anthropic.com/v1")).toBeUndefined();
});

test.each([
  ["chat", "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1", "/openai/v1/chat/completions"],
  ["messages", "https://bedrock-mantle.eu-central-1.api.aws/anthropic/v1", "/anthropic/v1/messages"],
  ["chat", `${VERTEX}/endpoints/openapi`, `${new URL(VERTEX).pathname}/endpoints/openapi/chat/completions`],
  ["embeddings", "https://mine.openai.azure.com/openai/v1", "/openai/v1/embeddings"],
  ["chat", "https://mine.openai.azure.com/openai/v1", "/openai/v1/chat/completions"],
  ["messages", "https://mine.services.ai.azure.com/anthropic/v1", "/anthropic/v1/messages"],
] as const)("an address of %s below %s is taken as it is", (dialect, baseUrl, path) => {
  const { paths, unframe, told, quirks } = prepared({ baseUrl, dialect, upstreamModel: "m" });

  expect([paths.whole, unframe, told, quirks.messages.cloud]).toEqual([path, null, null, null]);
});

test.each([
  ["vertex", "gemini", ".."],
  ["vertex", "messages", "."],
  ["bedrock", "messages", ".."],
  ["bedrock", "messages", ""],
  ["azure:2024-10-21", "chat", ".."],
] as const)("at %s no model of %s is %j, which would be another place", (platform, dialect, upstreamModel) => {
  const place = { baseUrl: "https://host/a/b", platform, dialect, upstreamModel };

  expect(() => prepared(place)).toThrow(UpstreamError);
});

test("a name is one segment of a path, whatever it is called", () => {
  const upstreamModel = "a/../b;c?d#e%2f";
  for (const platform of ["vertex", "bedrock"]) {
    const { paths } = prepared({ baseUrl: "https://host", platform, dialect: "messages", upstreamModel });

    expect(paths.whole).toContain("/a%2F..%2Fb%3Bc%3Fd%23e%252f");
  }
});

test("a platform that a later version has written is left alone", () => {
  const place = { baseUrl: "https://host/v1", platform: "oracle", dialect: "chat", upstreamModel: "m" } as const;

  expect(prepared(place).paths.whole).toBe("/v1/chat/completions");
});
