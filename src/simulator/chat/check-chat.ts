import { isObject } from "../../core/bytes/is-object.ts";
import { sign, unseal } from "../plan/proof.ts";
import { invalid } from "../ask/refusal.ts";

/** Refuses what chat providers refuse of a conversation: calls nobody answered, answers nobody asked for, made-up proofs. */
export function checkChat(messages: readonly unknown[]): void {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) continue;
    const at = `messages.${index}`;
    if (message["role"] === "tool") {
      if (!open.delete(String(message["tool_call_id"])))
        throw invalid(`${at}: a message of a tool must answer a call in the message before it`, at);
      continue;
    }
    if (open.size > 0) throw unanswered(open);
    if (message["role"] === "assistant") {
      open = idsOf(message["tool_calls"]);
      checkDetails(message["reasoning_details"], `${at}.reasoning_details`);
    }
  }
  if (open.size > 0) throw unanswered(open);
}

const unanswered = ([id]: ReadonlySet<string>) =>
  invalid(`messages: each call must be answered by a message of its tool; ${id} was not`, "messages");

const idsOf = (calls: unknown): Set<string> =>
  new Set(Array.isArray(calls) ? calls.flatMap((call: unknown) => (isObject(call) ? [String(call["id"])] : [])) : []);

/** A signature vouches for all the text that came under its index before it, in however many pieces it comes back. */
function checkDetails(given: unknown, at: string): void {
  const said = new Map<unknown, string>();
  for (const detail of Array.isArray(given) ? (given as unknown[]) : []) {
    if (!isObject(detail)) continue;
    const { type, index, text, signature, data } = detail;
    if (type === "reasoning.encrypted" && unseal("redacted", data) === null) throw unknownProof(at);
    if (typeof text === "string") said.set(index, (said.get(index) ?? "") + text);
    if (typeof signature === "string" && sign("signature", said.get(index) ?? "") !== signature) throw unknownProof(at);
  }
}

const unknownProof = (at: string) => invalid(`${at}: these thoughts are not as they were given`, at);
