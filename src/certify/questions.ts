import type { ClientDialect } from "../core/request/dialect.ts";
import type { ReadReply } from "./read-reply.ts";

/** What a trial asks, in no format yet. */
export type Question = {
  text: string;
  outputTokens: number;
  streamed: boolean;
  /** Long text before the question, which a provider may keep in its cache. */
  prefix?: string;
  /** `invalid`: its parameter is of a type that there is none of. */
  tool?: "valid" | "invalid";
  schema?: boolean;
  /** Not in messages, whose models differ in how they are asked: these are asked in chat, and the gateway knows how. */
  reasoning?: boolean;
};

const TOOL = {
  name: "get_weather",
  description: "Returns the current temperature of a city in degrees Celsius.",
  schema: {
    type: "object",
    properties: { city: { type: "string", description: "Name of the city" } },
    required: ["city"],
    additionalProperties: false,
  },
} as const;
export const TOOL_NAME = TOOL.name;
/** What the tool returns; the model's last word must have it. */
export const TOOL_RESULT = "17";

const ANSWER_SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, river: { type: "string" } },
  required: ["city", "river"],
  additionalProperties: false,
} as const;

const INVALID_SCHEMA = { type: "object", properties: { city: { type: "nonsense" } }, required: ["city"] };
const schemaOf = (tool: "valid" | "invalid"): object => (tool === "valid" ? TOOL.schema : INVALID_SCHEMA);

type Build = (model: string, question: Question) => Record<string, unknown>;

/** The same question in each format a client may use. */
const BODIES: Readonly<Record<ClientDialect, Build>> = {
  chat: (model, { text, prefix, outputTokens, streamed, tool, schema, reasoning }) => ({
    model,
    messages: [...(prefix === undefined ? [] : [{ role: "system", content: prefix }]), { role: "user", content: text }],
    max_tokens: outputTokens,
    ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(tool
      ? {
          tools: [
            {
              type: "function",
              function: { name: TOOL.name, description: TOOL.description, parameters: schemaOf(tool) },
            },
          ],
        }
      : {}),
    ...(schema
      ? { response_format: { type: "json_schema", json_schema: { name: "city", strict: true, schema: ANSWER_SCHEMA } } }
      : {}),
    ...(reasoning ? { reasoning_effort: "low" } : {}),
  }),
  responses: (model, { text, prefix, outputTokens, streamed, tool, schema, reasoning }) => ({
    model,
    ...(prefix === undefined ? {} : { instructions: prefix }),
    input: [{ role: "user", content: text }],
    max_output_tokens: outputTokens,
    store: false,
    ...(streamed ? { stream: true } : {}),
    ...(tool
      ? {
          tools: [
            {
              type: "function",
              name: TOOL.name,
              description: TOOL.description,
              parameters: schemaOf(tool),
              strict: tool === "valid",
            },
          ],
        }
      : {}),
    ...(schema ? { text: { format: { type: "json_schema", name: "city", strict: true, schema: ANSWER_SCHEMA } } } : {}),
    ...(reasoning ? { reasoning: { effort: "low" } } : {}),
  }),
  messages: (model, { text, prefix, outputTokens, streamed, tool, schema }) => ({
    model,
    ...(prefix === undefined ? {} : { system: [{ type: "text", text: prefix, cache_control: { type: "ephemeral" } }] }),
    messages: [{ role: "user", content: text }],
    max_tokens: outputTokens,
    ...(streamed ? { stream: true } : {}),
    ...(tool ? { tools: [{ name: TOOL.name, description: TOOL.description, input_schema: schemaOf(tool) }] } : {}),
    ...(schema ? { output_config: { format: { type: "json_schema", schema: ANSWER_SCHEMA } } } : {}),
  }),
};

export const bodyOf = (dialect: ClientDialect, model: string, question: Question): Record<string, unknown> =>
  BODIES[dialect](model, question);

/** The next turn: the whole conversation, the model's calls as it made them, and a result for each. */
export function withResults(
  dialect: ClientDialect,
  body: Record<string, unknown>,
  reply: ReadReply,
): Record<string, unknown> {
  const { echo, calls } = reply;
  switch (dialect) {
    case "chat":
      return {
        ...body,
        messages: [
          ...listOf(body["messages"]),
          ...echo,
          ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: TOOL_RESULT })),
        ],
      };
    case "responses":
      return {
        ...body,
        input: [
          ...listOf(body["input"]),
          ...echo,
          ...calls.map(({ id }) => ({ type: "function_call_output", call_id: id, output: TOOL_RESULT })),
        ],
      };
    case "messages":
      return {
        ...body,
        messages: [
          ...listOf(body["messages"]),
          { role: "assistant", content: echo },
          {
            role: "user",
            content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: TOOL_RESULT })),
          },
        ],
      };
    default:
      return dialect satisfies never;
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
