import { isObject } from "../../core/bytes/is-object.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { MemberEdits } from "../../wire/json/edit-members.ts";
import { type CallIdRules, type CallIds, createCallIds, fit } from "../form/tools/call-ids.ts";
import { parseExactly } from "../form/parse-exactly.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectsOf } from "../form/read-json.ts";

/** Begins the names of both members that hold an id. */
const MENTION = '"tool_call';

type Asked = Pick<GenerationRequest, "bytes" | "members" | "edits">;

/**
 * For a provider that is particular about the ids of calls: the conversation with ids that it takes, where the caller brings
 * others, as it does from another provider. Nothing differs where all of them fit.
 */
export function callIdEdits({ bytes, members, edits }: Asked, rules: CallIdRules): MemberEdits {
  if (!bytes.includes(MENTION)) return {};
  const member = members.list.find(({ name }) => name === "messages");
  const text = edits["messages"] ?? (member && bytes.toString("utf8", member.valueStart, member.valueEnd));
  const messages: unknown = text === undefined ? null : parseExactly(text);
  if (!Array.isArray(messages) || objectsOf(messages).every((message) => fits(message, rules))) return {};
  const ids = createCallIds(rules);
  return { messages: JSON.stringify(messages.map((message) => (isObject(message) ? withIds(message, ids) : message))) };
}

function fits({ tool_calls: calls, tool_call_id: result }: Json, rules: CallIdRules): boolean {
  const given = [...objectsOf(calls).map(({ id }) => id), result];
  return given.every((id) => typeof id !== "string" || fit(id, rules) === id);
}

function withIds(message: Json, { ofCall, ofResult }: CallIds): Json {
  const { tool_calls: calls, tool_call_id: result } = message;
  const changed = { ...message };
  if (Array.isArray(calls)) {
    changed["tool_calls"] = calls.map((call: unknown) =>
      isObject(call) && typeof call["id"] === "string" ? { ...call, id: ofCall(call["id"]) } : call,
    );
  }
  if (typeof result === "string") changed["tool_call_id"] = ofResult(result);
  return changed;
}
