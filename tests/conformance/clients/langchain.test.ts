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
import { describeClients } from "./describe-clients.ts";
import { PACKAGES } from "./versions.ts";

/** As much of the library as is used here. */
type Message = { text: string; tool_calls?: { id: string; name: string; args: unknown }[] };
type Messages = {
  HumanMessage: new (content: string) => Message;
  ToolMessage: new (fields: { content: string; tool_call_id: string }) => Message;
};
type Model = {
  invoke: (prompt: string | Message[]) => Promise<Message>;
  stream: (prompt: string) => Promise<AsyncIterable<Message>>;
  bindTools: (tools: object[]) => Model;
};
type CallError = Error & { status?: number; code?: string; requestID?: string; error?: { error?: { code?: string } } };

const installed = await installPackages("langchain", PACKAGES.langchain);

function create(from: string, name: string, options: object): Model {
  const Chat = load<Record<string, new (options: object) => Model>>(installed, from)[name];
  if (!Chat) throw new Error(`${from} has no ${name}`);
  return new Chat(options);
}

const openai = ({ origin, apiKey, retries }: Access, options: object): Model =>
  create("@langchain/openai", "ChatOpenAI", {
    apiKey,
    configuration: { baseURL: `${origin}/v1` },
    maxTokens: MAX_TOKENS,
    maxRetries: retries,
    ...options,
  });

const anthropic = ({ origin, apiKey, retries }: Access, model: string): Model =>
  create("@langchain/anthropic", "ChatAnthropic", {
    apiKey,
    anthropicApiUrl: origin,
    maxTokens: MAX_TOKENS,
    maxRetries: retries,
    model,
  });

function clientOf(dialect: Client["dialect"], open: (access: Access, model: string) => Model): Client {
  return {
    dialect,
    ask: async (access, model) => (await open(access, model).invoke(PROMPT)).text,
    stream: async (access, model) => {
      let text = "";
      for await (const chunk of await open(access, model).stream(PROMPT)) text += chunk.text;
      return text;
    },
    callTool: async (access, model) => {
      const { name, description, schema: parameters } = TOOL;
      const bound = open(access, model).bindTools([{ type: "function", function: { name, description, parameters } }]);
      const call = (await bound.invoke(PROMPT)).tool_calls?.[0];
      if (!call) throw new Error("no tool was called");
      return { name: call.name, input: call.args };
    },
    converse: async (access, model) => {
      const { name, description, schema: parameters } = TOOL;
      const bound = open(access, model).bindTools([{ type: "function", function: { name, description, parameters } }]);
      const { HumanMessage, ToolMessage } = load<Messages>(installed, "@langchain/core/messages");
      const said: Message[] = [new HumanMessage(PROMPT)];
      const answer = async (): Promise<Message> => {
        const message = await bound.invoke(said);
        said.push(message);
        return message;
      };
      const call = (await answer()).tool_calls?.[0];
      if (!call) throw new Error("no tool was called");
      said.push(new ToolMessage({ content: WEATHER, tool_call_id: call.id }));
      const { text: afterResult } = await answer();
      said.push(new HumanMessage(MORE));
      return { call: { name: call.name, input: call.args }, said: [afterResult, (await answer()).text] };
    },
    explain: (error) => {
      if (!(error instanceof Error)) return unexplained(error);
      const call: CallError = error;
      return {
        type: error.constructor.name,
        status: call.status ?? null,
        code: call.code ?? call.error?.error?.code ?? null,
        requestId: call.requestID ?? null,
        message: error.message,
      };
    },
  };
}

const manners: Manners = {
  errors: {
    invalid_credentials: "AuthenticationError",
    insufficient_credit: "APIError",
    model_not_found: "NotFoundError",
    limit_reached: "RateLimitError",
    provider_unavailable: "InternalServerError",
  },
};

const { missing } = installed;
describeClients(
  {
    title: "@langchain/openai, chat",
    client: clientOf("chat", (access, model) => openai(access, { model })),
    manners,
    missing,
  },
  {
    title: "@langchain/openai, responses",
    client: clientOf("responses", (access, model) => openai(access, { model, useResponsesApi: true })),
    // The library reads `response.completed` and passes `response.failed` over.
    manners: { ...manners, overlooksFailedStream: true },
    missing,
  },
  { title: "@langchain/anthropic", client: clientOf("messages", anthropic), manners, missing },
);
