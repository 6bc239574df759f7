import Anthropic, { APIError } from "@anthropic-ai/sdk";
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

const manners: Manners = {
  errors: {
    invalid_credentials: "AuthenticationError",
    // The library has no class for 402.
    insufficient_credit: "APIError",
    model_not_found: "NotFoundError",
    limit_reached: "RateLimitError",
    provider_unavailable: "InternalServerError",
  },
};

/** What both majors have in common, which is all that is used here. */
type Sdk = { Anthropic: typeof Anthropic; APIError: typeof APIError };

function clientOf(sdk: () => Sdk): Client {
  const open = ({ origin, apiKey, retries }: Access): Anthropic =>
    new (sdk().Anthropic)({ apiKey, baseURL: origin, maxRetries: retries });
  const messages = [{ role: "user" as const, content: PROMPT }];
  const { name, description, schema: input_schema } = TOOL;

  return {
    dialect: "messages",
    ask: async (access, model) =>
      textOf(await open(access).messages.create({ model, messages, max_tokens: MAX_TOKENS })),
    stream: async (access, model) =>
      textOf(await open(access).messages.stream({ model, messages, max_tokens: MAX_TOKENS }).finalMessage()),
    callTool: async (access, model) => {
      const tools = [{ name, description, input_schema }];
      const stream = open(access).messages.stream({ model, messages, max_tokens: MAX_TOKENS, tools });
      const block = (await stream.finalMessage()).content[0];
      if (block?.type !== "tool_use") throw new Error("no tool was called");
      return { name: block.name, input: block.input };
    },
    converse: async (access, model) => {
      const said: Anthropic.MessageParam[] = [...messages];
      const answer = async (): Promise<Anthropic.Message> => {
        const tools = [{ name, description, input_schema }];
        const message = await open(access).messages.create({ model, messages: said, max_tokens: MAX_TOKENS, tools });
        said.push({ role: "assistant", content: message.content });
        return message;
      };
      const call = (await answer()).content.find(({ type }) => type === "tool_use");
      if (call?.type !== "tool_use") throw new Error("no tool was called");
      said.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: WEATHER }] });
      const afterResult = textOf(await answer());
      said.push({ role: "user", content: MORE });
      return { call: { name: call.name, input: call.input }, said: [afterResult, textOf(await answer())] };
    },
    listModels: async (access) => (await Array.fromAsync(open(access).models.list())).map(({ id }) => id),
    countTokens: async (access, model) => (await open(access).messages.countTokens({ model, messages })).input_tokens,
    explain: (error) => {
      if (!(error instanceof sdk().APIError)) return unexplained(error);
      const body = error.error as { error?: { code?: string } } | undefined;
      return {
        type: error.constructor.name,
        status: error.status ?? null,
        code: body?.error?.code ?? null,
        requestId: error.requestID ?? null,
        message: error.message,
      };
    },
  };
}

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

const previous = await installPackages("anthropic-js", PACKAGES.previousAnthropic);

describeClients(
  { title: "@anthropic-ai/sdk", client: clientOf(() => ({ Anthropic, APIError })), manners },
  {
    title: "@anthropic-ai/sdk, previous major",
    client: clientOf(() => load<Sdk>(previous, "@anthropic-ai/sdk")),
    manners,
    missing: previous.missing,
  },
);
