import { isObject } from "../core/bytes/is-object.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";

/** What a caller would change in its body to set another output limit. */
export type LimitAdvice = {
  /** The fields that hold the limit, as the caller would name them. */
  fields: string;
  /** How much longer that makes the body at most: every byte of it counts as input. */
  addedBytes: number;
  /** The smallest limit that providers take with this request. */
  smallest: number;
  /** Where it would cap the searches of its provider; absent: nowhere. */
  callsField?: string;
};

/** A colon, a comma, spaces or an indented line of their own. */
const AROUND_MEMBER_BYTES = 24;

/** The responses format has a least limit of output; thinking needs more than its own budget. */
const SMALLEST_RESPONSE_LIMIT = 16;

const CALLS_FIELD = { chat: {}, responses: { callsField: "max_tool_calls" }, messages: { callsField: "max_uses" } };

type Asked = Pick<GenerationRequest, "dialect" | "members" | "bytes" | "maxOutputTokensField">;

export function limitAdvice(request: Asked, mostOutputTokens: number): LimitAdvice {
  const { members, maxOutputTokensField: field } = request;
  const names = request.dialect === "chat" ? ["max_tokens", "max_completion_tokens"] : [field];
  const written = members.list.filter(({ name }) => names.includes(name));
  const digits = String(mostOutputTokens).length;
  const longer = written.map(({ valueStart, valueEnd }) => Math.max(0, digits - (valueEnd - valueStart)));
  return {
    // Both of chat's fields are one limit, and two that differ are refused.
    fields: written.length > 1 ? names.join(" and ") : field,
    addedBytes:
      written.length === 0
        ? field.length + digits + AROUND_MEMBER_BYTES
        : longer.reduce((total, bytes) => total + bytes, 0),
    smallest: smallestLimit(request),
    ...CALLS_FIELD[request.dialect],
  };
}

function smallestLimit({ dialect, members, bytes }: Asked): number {
  if (dialect === "responses") return SMALLEST_RESPONSE_LIMIT;
  const thinking = members.list.find(({ name }) => dialect === "messages" && name === "thinking");
  if (thinking === undefined) return 1;
  const value: unknown = JSON.parse(bytes.toString("utf8", thinking.valueStart, thinking.valueEnd));
  const budget = isObject(value) ? value["budget_tokens"] : null;
  return typeof budget === "number" ? budget + 1 : 1;
}
