import { z } from "zod";
import type { ClientDialect } from "../core/request/dialect.ts";
import { validate } from "./validate.ts";

/** What a call must have so that nothing of it has to be invented for a provider. [spec 7.2] */
const text = z.string().min(1);
const string = z.string();
const record = z.looseObject({});
const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape);

/** By the type of a part: a call of the model, or what a tool gave back. Other parts are not looked at. */
const PARTS: Record<ClientDialect, Readonly<Record<string, z.ZodType>>> = {
  chat: {
    function: part({ id: text, function: part({ name: text, arguments: string }) }),
    custom: part({ id: text, custom: part({ name: text, input: string }) }),
  },
  responses: {
    function_call: part({ call_id: text, name: text, arguments: string }),
    custom_tool_call: part({ call_id: text, name: text, input: string }),
    function_call_output: part({ call_id: text }),
    custom_tool_call_output: part({ call_id: text }),
  },
  messages: {
    tool_use: part({ id: text, name: text, input: record }),
    tool_result: part({ tool_use_id: text }),
  },
};

const CHAT_TYPE = z.looseObject({ type: z.enum(["function", "custom"]).optional() });

type Body = Readonly<Record<string, unknown>>;
type Place = readonly PropertyKey[];

/**
 * Refuses a call without a name, an id or arguments as they are written, and a result that belongs to no call. Of chat results the interface says that their id
 * may be absent. [spec 2.3]
 */
export function requireToolCalls(dialect: ClientDialect, body: Body): void {
  if (dialect === "responses") return requireParts(dialect, body["input"], ["input"]);
  for (const [at, message] of listOf(body["messages"]).entries()) {
    const place = ["messages", at];
    if (dialect === "messages") requireParts(dialect, message["content"], [...place, "content"]);
    else requireCalls(message, place);
  }
}

function requireParts(dialect: ClientDialect, parts: unknown, place: Place): void {
  for (const [at, each] of listOf(parts).entries()) {
    const schema = typeof each["type"] === "string" ? known(dialect, each["type"]) : undefined;
    if (schema !== undefined) validate(schema, each, [...place, at]);
  }
}

function requireCalls(message: Body, place: Place): void {
  for (const [at, call] of listOf(message["tool_calls"]).entries()) {
    const here = [...place, "tool_calls", at];
    const { type = "function" } = validate(CHAT_TYPE, call, here);
    validate(PARTS.chat[type] ?? CHAT_TYPE, call, here);
  }
}

const known = (dialect: ClientDialect, type: string): z.ZodType | undefined =>
  Object.hasOwn(PARTS[dialect], type) ? PARTS[dialect][type] : undefined;

const listOf = (value: unknown): readonly Body[] => (Array.isArray(value) ? (value as Body[]) : []);
