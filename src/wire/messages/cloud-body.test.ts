import { expect, test } from "vitest";
import { cloudBody, cloudCountBody, type CloudCall } from "./cloud-body.ts";

const BEDROCK: CloudCall = { cloud: "bedrock", betas: undefined, upstreamModel: "eu.anthropic.claude-opus-4-6-v1" };
const VERTEX: CloudCall = { cloud: "vertex", betas: undefined, upstreamModel: "claude-opus-4-6" };

const BODY = { model: "claude", max_tokens: 10, stream: true, messages: [{ role: "user", content: "Hello" }] };
const bytesOf = (body: object): Buffer => Buffer.from(JSON.stringify(body));
const read = (bytes: Buffer): unknown => JSON.parse(bytes.toString("utf8"));
const told = (body: object, call: CloudCall): unknown => read(cloudBody(bytesOf({ ...BODY, ...body }), call));
const { max_tokens, messages } = BODY;

test("the model is in the path, the version is the cloud's, and only one of them is told of a stream", () => {
  expect(told({}, BEDROCK)).toEqual({ max_tokens, messages, anthropic_version: "bedrock-2023-05-31" });
  expect(told({}, VERTEX)).toEqual({ max_tokens, messages, stream: true, anthropic_version: "vertex-2023-10-16" });
});

test.each(["bedrock", "vertex"] as const)("%s is told nothing that only the maker's own servers know", (cloud) => {
  const own = {
    anthropic_version: "2026-10-21",
    anthropic_beta: ["fast-mode-2026-02-01"],
    service_tier: "standard_only",
    speed: "fast",
    inference_geo: "us",
    cache_control: { type: "ephemeral" },
    diagnostics: {},
    compaction: { type: "auto" },
    context_management: { edits: [{ type: "clear_thinking_20251015" }] },
    whatever: 1,
  };
  const body = told(own, { ...BEDROCK, cloud });

  expect(Object.keys(body as object).toSorted()).toEqual(
    ["anthropic_version", "max_tokens", "messages", ...(cloud === "vertex" ? ["stream"] : [])].toSorted(),
  );
});

test("flags of a caller are in the body as Bedrock calls them, and those that it refuses are not", () => {
  const betas = "advanced-tool-use-2025-11-20, effort-2025-11-24,claude-code-20250219,prompt-caching-scope-2026-01-05";

  expect(told({}, { ...BEDROCK, betas })).toMatchObject({
    anthropic_beta: ["tool-search-tool-2025-10-19", "effort-2025-11-24"],
  });
  expect(told({}, { ...VERTEX, betas })).not.toHaveProperty("anthropic_beta");
});

test("a flag and what belongs to it go together", () => {
  const tool = { name: "t", input_schema: { type: "object", properties: { defer_loading: {}, custom: {} } } };
  const tools = [{ ...tool, defer_loading: true, eager_input_streaming: true, input_examples: [{}], custom: {} }];

  expect(told({ tools }, BEDROCK)).toMatchObject({ tools: [tool] });
  expect((told({ tools }, BEDROCK) as { tools: unknown }).tools).toEqual([tool]);
  const searching = { ...BEDROCK, betas: "tool-search-tool-2025-10-19" };
  expect((told({ tools }, searching) as { tools: unknown }).tools).toEqual([{ ...tool, defer_loading: true }]);
});

test("of what becomes of a context Bedrock knows compaction alone, and Vertex what its flags say", () => {
  const compact = { type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } };
  const asked = { context_management: { edits: [{ type: "clear_tool_uses_20250919" }, compact] } };

  expect(told(asked, BEDROCK)).toMatchObject({
    context_management: { edits: [compact] },
    anthropic_beta: ["compact-2026-01-12"],
  });
  expect(told(asked, VERTEX)).not.toHaveProperty("context_management");
  expect(told(asked, { ...VERTEX, betas: "context-management-2025-06-27" })).toMatchObject(asked);
});

test("marks of a cache are without a scope, and without a span for models that refuse one", () => {
  const mark = { type: "ephemeral", ttl: "1h", scope: "global" };
  const asked = {
    system: [{ type: "text", text: "a", cache_control: mark }],
    messages: [{ role: "user", content: [{ type: "text", text: "scope", cache_control: mark }] }],
  };
  const marked = (cache: object) => ({
    system: [{ type: "text", text: "a", cache_control: cache }],
    messages: [{ role: "user", content: [{ type: "text", text: "scope", cache_control: cache }] }],
  });

  expect(told(asked, BEDROCK)).toMatchObject(marked({ type: "ephemeral", ttl: "1h" }));
  expect(JSON.stringify(told(asked, BEDROCK))).not.toContain("global");
  for (const upstreamModel of [
    "anthropic.claude-3-7-sonnet-20250219-v1:0",
    "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "us.anthropic.claude-opus-4-1-20250805-v1:0",
  ])
    expect(JSON.stringify(told(asked, { ...BEDROCK, upstreamModel })), upstreamModel).not.toContain("ttl");
});

test("the form of an answer goes by its newer name, in the very bytes of the caller", () => {
  const format = '{"type":"json_schema","schema":{"maximum":12345678901234567890}}';
  const body = (members: string): string =>
    cloudBody(Buffer.from(`{"model":"m","messages":[],${members}}`), BEDROCK).toString("utf8");

  expect(body(`"output_format":${format}`)).toBe(
    `{"messages":[],"anthropic_version":"bedrock-2023-05-31","output_config":{"format":${format}}}`,
  );
  expect(body(`"output_config":{"effort":"low","task_budget":{}},"output_format":${format}`)).toContain(
    `"output_config":{"effort":"low","format":${format}}`,
  );
  expect(body(`"output_format":null`)).not.toContain("output_");
});

test("who counts tokens is sent what each cloud counts", () => {
  const asked = bytesOf({ model: "their-name", messages });

  expect(read(cloudCountBody(asked, VERTEX))).toEqual({
    messages,
    anthropic_version: "vertex-2023-10-16",
    model: "claude-opus-4-6",
  });
  const { input } = read(cloudCountBody(asked, BEDROCK)) as { input: { invokeModel: { body: string } } };
  expect(read(Buffer.from(input.invokeModel.body, "base64"))).toEqual({
    messages,
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 1,
  });
});
