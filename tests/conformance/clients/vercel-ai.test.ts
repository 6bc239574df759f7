import { expect, test } from "vitest";
import { startGatewayProcess } from "../../support/gateway-process.ts";
import { installPackages, load } from "../../support/npm-packages.ts";
import {
  type Access,
  type Client,
  type Manners,
  MAX_TOKENS,
  MORE,
  PROMPT,
  TOOL,
  unexplained,
  WEATHER,
} from "./client.ts";
import { TALK } from "./client-stage.ts";
import { describeClients } from "./describe-clients.ts";
import { PACKAGES } from "./versions.ts";

/** As much of the library as is used here. */
type Ai = {
  generateText: (ask: object) => Promise<{
    text: string;
    toolCalls: { toolCallId: string; toolName: string; input: unknown }[];
    response: { messages: object[] };
  }>;
  streamText: (ask: object) => { fullStream: AsyncIterable<Part> };
  tool: (definition: object) => unknown;
  jsonSchema: (schema: object) => unknown;
};
type Part = { type: string; text?: string; error?: unknown };
type Provider = Record<"chat" | "responses" | "messages" | "chatModel", (model: string) => unknown>;
type Options = { baseURL: string; apiKey: string; name?: string };
type CallError = Error & {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  data?: { error?: { code?: string } };
  responseBody?: string;
  lastError?: unknown;
};

const installed = await installPackages("vercel-ai", PACKAGES.vercelAi);
const ai = (): Ai => load<Ai>(installed, "ai");

const manners: Manners = {
  errors: {
    invalid_credentials: "AI_APICallError",
    insufficient_credit: "AI_APICallError",
    model_not_found: "AI_APICallError",
    limit_reached: "AI_APICallError",
    provider_unavailable: "AI_APICallError",
  },
  // The library knows statuses and not `x-should-retry`: every 429 is tried again.
  attempts: { limit_reached: 2 },
};

/** Without this its later turns name what was said before instead of sending it. */
const UNSTORED = { providerOptions: { openai: { store: false } } };

function clientOf(
  dialect: Client["dialect"],
  modelOf: (access: Access, model: string) => unknown,
  options: object = {},
): Client {
  const ask = (access: Access, model: string): object => ({
    model: modelOf(access, model),
    prompt: PROMPT,
    maxOutputTokens: MAX_TOKENS,
    maxRetries: access.retries,
    ...options,
  });
  return {
    dialect,
    ask: async (access, model) => (await ai().generateText(ask(access, model))).text,
    stream: async (access, model) => {
      let text = "";
      let failure: unknown;
      // Read to its end: the library rejects a promise of its own when a reader leaves early.
      for await (const part of ai().streamText({ ...ask(access, model), onError: () => undefined }).fullStream) {
        if (part.type === "error") failure ??= part.error;
        if (part.type === "text-delta") text += part.text ?? "";
      }
      if (failure !== undefined) throw failure;
      return text;
    },
    callTool: async (access, model) => {
      const { name, description, schema } = TOOL;
      const tools = { [name]: ai().tool({ description, inputSchema: ai().jsonSchema(schema) }) };
      const [call] = (await ai().generateText({ ...ask(access, model), tools })).toolCalls;
      if (!call) throw new Error("no tool was called");
      return { name: call.toolName, input: call.input };
    },
    converse: async (access, model) => {
      const { name, description, schema } = TOOL;
      const tools = { [name]: ai().tool({ description, inputSchema: ai().jsonSchema(schema) }) };
      const messages: object[] = [{ role: "user", content: PROMPT }];
      const answer = async (): ReturnType<Ai["generateText"]> => {
        const { prompt: _, ...asked } = ask(access, model) as { prompt: string };
        const result = await ai().generateText({ ...asked, messages, tools });
        messages.push(...result.response.messages);
        return result;
      };
      const [call] = (await answer()).toolCalls;
      if (!call) throw new Error("no tool was called");
      const { toolCallId, toolName, input } = call;
      const output = { type: "text", value: WEATHER };
      messages.push({ role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] });
      const { text: afterResult } = await answer();
      messages.push({ role: "user", content: MORE });
      return { call: { name: toolName, input }, said: [afterResult, (await answer()).text] };
    },
    explain,
  };
}

/** After several tries the library reports them together; the last one says what there is to say. */
function explain(error: unknown): ReturnType<Client["explain"]> {
  if (!(error instanceof Error)) return unexplained(JSON.stringify(error));
  const call: CallError = error;
  if (call.lastError !== undefined) return explain(call.lastError);
  const body = JSON.parse(call.responseBody ?? "{}") as { error?: { code?: string } };
  return {
    type: error.name,
    status: call.statusCode ?? null,
    code: body.error?.code ?? null,
    requestId: call.responseHeaders?.["x-request-id"] ?? null,
    message: error.message,
  };
}

function provider(from: string, factory: string, { origin, apiKey }: Access): Provider {
  const create = load<Record<string, (options: Options) => Provider>>(installed, from)[factory];
  if (!create) throw new Error(`${from} has no ${factory}`);
  return create({ baseURL: `${origin}/v1`, apiKey, name: "tollgate" });
}

const openai = (access: Access): Provider => provider("@ai-sdk/openai", "createOpenAI", access);
const compatible = (access: Access): Provider =>
  provider("@ai-sdk/openai-compatible", "createOpenAICompatible", access);
const anthropic = (access: Access): Provider => provider("@ai-sdk/anthropic", "createAnthropic", access);

const { missing } = installed;
describeClients(
  {
    title: "ai with @ai-sdk/openai, chat",
    client: clientOf("chat", (access, model) => openai(access).chat(model)),
    manners,
    missing,
  },
  {
    title: "ai with @ai-sdk/openai, responses",
    client: clientOf("responses", (access, model) => openai(access).responses(model), UNSTORED),
    manners,
    missing,
  },
  {
    title: "ai with @ai-sdk/openai-compatible",
    client: clientOf("chat", (access, model) => compatible(access).chatModel(model)),
    manners,
    missing,
  },
  {
    title: "ai with @ai-sdk/anthropic",
    client: clientOf("messages", (access, model) => anthropic(access).messages(model)),
    manners,
    missing,
  },
);

test.skipIf(missing)("without `store: false` the second turn of @ai-sdk/openai is told what to set", async () => {
  const gateway = await startGatewayProcess({ models: { talk: { dialect: "responses", upstream: `sim+${TALK}` } } });
  const access = { origin: gateway.publicUrl, apiKey: gateway.keys.credit, retries: 0 };
  const unset = clientOf("responses", (at, model) => openai(at).responses(model));

  const told = await unset.converse(access, "talk").then(
    () => null,
    (error: unknown) => unset.explain(error),
  );
  await gateway.stop();

  expect(told).toMatchObject({ status: 400, code: "invalid_request" });
  expect(told?.message).toContain("AI SDK: set `providerOptions: { openai: { store: false } }`");
});
