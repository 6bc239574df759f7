import OpenAI, { APIError } from "openai";
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

const open = ({ origin, apiKey, retries }: Access): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: retries });
const messages = [{ role: "user" as const, content: PROMPT }];

const shared: Pick<Client, "listModels" | "explain"> = {
  listModels: async (access) => (await Array.fromAsync(open(access).models.list())).map(({ id }) => id),
  explain: (error) => {
    if (!(error instanceof APIError)) return unexplained(error);
    return {
      type: error.constructor.name,
      status: error.status ?? null,
      code: error.code ?? null,
      requestId: error.requestID ?? null,
      message: error.message,
    };
  },
};

const chat: Client = {
  ...shared,
  dialect: "chat",
  ask: async (access, model) => {
    const answer = await open(access).chat.completions.create({ model, messages, max_completion_tokens: MAX_TOKENS });
    return answer.choices[0]?.message.content ?? "";
  },
  stream: async (access, model) => {
    const stream = open(access).chat.completions.stream({ model, messages, max_completion_tokens: MAX_TOKENS });
    return (await stream.finalChatCompletion()).choices[0]?.message.content ?? "";
  },
  callTool: async (access, model) => {
    const { name, description, schema: parameters } = TOOL;
    const tools = [{ type: "function" as const, function: { name, description, parameters } }];
    const stream = open(access).chat.completions.stream({ model, messages, max_completion_tokens: MAX_TOKENS, tools });
    const call = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls?.[0];
    if (call?.type !== "function") throw new Error("no tool was called");
    return { name: call.function.name, input: JSON.parse(call.function.arguments) };
  },
  converse: async (access, model) => {
    const { name, description, schema: parameters } = TOOL;
    const tools = [{ type: "function" as const, function: { name, description, parameters } }];
    const said: OpenAI.ChatCompletionMessageParam[] = [...messages];
    const answer = async (): Promise<OpenAI.ChatCompletionMessage> => {
      const ask = { model, messages: said, max_completion_tokens: MAX_TOKENS, tools };
      const message = (await open(access).chat.completions.create(ask)).choices[0]?.message;
      if (!message) throw new Error("nothing was said");
      said.push(message);
      return message;
    };
    const call = (await answer()).tool_calls?.[0];
    if (call?.type !== "function") throw new Error("no tool was called");
    said.push({ role: "tool", tool_call_id: call.id, content: WEATHER });
    const afterResult = (await answer()).content ?? "";
    said.push({ role: "user", content: MORE });
    const afterMore = (await answer()).content ?? "";
    return {
      call: { name: call.function.name, input: JSON.parse(call.function.arguments) },
      said: [afterResult, afterMore],
    };
  },
};

const responses: Client = {
  ...shared,
  dialect: "responses",
  ask: async (access, model) =>
    (await open(access).responses.create({ model, input: PROMPT, max_output_tokens: MAX_TOKENS })).output_text,
  stream: async (access, model) => {
    const stream = open(access).responses.stream({ model, input: PROMPT, max_output_tokens: MAX_TOKENS });
    const response = await stream.finalResponse();
    // The library leaves it to its user to look at the status of a stream that has ended.
    if (response.error) throw new Error(response.error.message);
    return response.output_text;
  },
  callTool: async (access, model) => {
    const { name, description, schema: parameters } = TOOL;
    const tools = [{ type: "function" as const, name, description, parameters, strict: false }];
    const stream = open(access).responses.stream({ model, input: PROMPT, max_output_tokens: MAX_TOKENS, tools });
    const [item] = (await stream.finalResponse()).output;
    if (item?.type !== "function_call") throw new Error("no tool was called");
    return { name: item.name, input: JSON.parse(item.arguments) };
  },
  converse: async (access, model) => {
    const { name, description, schema: parameters } = TOOL;
    const tools = [{ type: "function" as const, name, description, parameters, strict: false }];
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: PROMPT }];
    const answer = async (): Promise<OpenAI.Responses.Response> => {
      const response = await open(access).responses.create({ model, input, max_output_tokens: MAX_TOKENS, tools });
      // As the library's own guide has it; by its types, a few items of an answer are none of a question.
      input.push(...(response.output as OpenAI.Responses.ResponseInput));
      return response;
    };
    const call = (await answer()).output.find(({ type }) => type === "function_call");
    if (call?.type !== "function_call") throw new Error("no tool was called");
    input.push({ type: "function_call_output", call_id: call.call_id, output: WEATHER });
    const { output_text: afterResult } = await answer();
    input.push({ role: "user", content: MORE });
    const { output_text: afterMore } = await answer();
    return { call: { name: call.name, input: JSON.parse(call.arguments) }, said: [afterResult, afterMore] };
  },
};

describeClients(
  { title: "openai (JavaScript), chat completions", client: chat, manners },
  { title: "openai (JavaScript), responses", client: responses, manners },
);
