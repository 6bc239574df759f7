import { isObject } from "../core/is-object.ts";
import type { JsonObject } from "./dialect.ts";
import { sign, unseal } from "./proof.ts";
import { invalid } from "./refusal.ts";

/** Refuses what chat providers refuse of a conversation: calls nobody answered, answers nobody asked for, made-up proofs. */
export function checkChat(messages: readonly unknown[]): void {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) continue;
    const at = `messages.${index}`;
    if (message["role"] === "tool") {
      const answered = open.indexOf(String(message["tool_call_id"]));
      if (answered < 0) throw invalid(`${at}: a message of a tool must answer a call in the message before it`, at);
      open.splice(answered, 1);
      continue;
    }
    if (open.length > 0) throw unanswered(open);
    if (message["role"] === "assistant") {
      open = idsOf(message["tool_calls"]);
      checkDetails(message["reasoning_details"], `${at}.reasoning_details`);
    }
  }
  if (open.length > 0) throw unanswered(open);
}

const unanswered = (ids: readonly string[]) =>
  invalid(`messages: each call must be answered by a message of its tool; ${ids.join(", ")} was not`, "messages");

const idsOf = (calls: unknown): string[] =>
  Array.isArray(calls) ? calls.flatMap((call: unknown) => (isObject(call) ? [String(call["id"])] : [])) : [];

/** A signature vouches for all the text that came under its index, in however many pieces it comes back. */
function checkDetails(given: unknown, at: string): void {
  const details: JsonObject[] = Array.isArray(given) ? given.filter((detail) => isObject(detail)) : [];
  for (const { type, index, signature, data } of details) {
    if (type === "reasoning.encrypted" && unseal("redacted", data) === null) throw unknownProof(at);
    if (typeof signature !== "string") continue;
    const said = details.filter((detail) => detail["index"] === index && typeof detail["text"] === "string");
    if (sign("signature", said.map(({ text }) => text).join("")) !== signature) throw unknownProof(at);
  }
}

const unknownProof = (at: string) => invalid(`${at}: these thoughts are not as they were given`, at);
