import { isObject } from "../core/is-object.ts";
import type { JsonObject } from "./dialect.ts";
import { unseal } from "./proof.ts";
import { invalid, Refusal } from "./refusal.ts";

/** Refuses what providers of this dialect refuse of a conversation: calls without outputs, outputs without calls, forged thoughts. */
export function checkResponses(input: readonly unknown[]): void {
  const items: JsonObject[] = input.filter((item) => isObject(item));
  const called = idsOf(items, "function_call");
  const answered = idsOf(items, "function_call_output");
  const silent = called.find((id) => !answered.includes(id));
  if (silent !== undefined) throw invalid(`No tool output found for function call ${silent}.`, "input");
  const unasked = answered.find((id) => !called.includes(id));
  if (unasked !== undefined)
    throw invalid(`No tool call found for function call output with call_id ${unasked}.`, "input");
  for (const [place, item] of items.entries()) if (item["type"] === "reasoning") checkThoughts(item, items[place + 1]);
}

/** Thoughts belong to an item that follows them, and are known by the name they were encrypted under. */
function checkThoughts({ id, encrypted_content: encrypted }: JsonObject, next: JsonObject | undefined): void {
  const name = unseal("encrypted", encrypted);
  if (name === null || (id !== undefined && id !== name))
    throw new Refusal(400, `The encrypted content for item ${String(id)} could not be verified.`, {
      code: "invalid_encrypted_content",
    });
  const belongs =
    next !== undefined &&
    (next["type"] === "function_call" || next["role"] === "assistant" || next["type"] === "reasoning");
  if (!belongs)
    throw invalid(`Item '${name}' of type 'reasoning' was provided without its required following item.`, "input");
}

const idsOf = (items: readonly JsonObject[], type: string): string[] =>
  items.flatMap((item) => (item["type"] === type ? [String(item["call_id"])] : []));
