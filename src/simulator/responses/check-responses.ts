import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { unseal } from "../plan/proof.ts";
import { invalid, Refusal } from "../ask/refusal.ts";

/** Calls whose output the caller owes; other items of the output are calls of tools that a provider runs itself. */
const OWED = ["function_call", "custom_tool_call"];

/**
 * Refuses what providers of this dialect refuse of a conversation: calls without outputs, outputs without calls, forged thoughts, and
 * items by their names alone, since this one keeps none.
 */
export function checkResponses(input: readonly unknown[], store: unknown): void {
  const items: JsonObject[] = input.filter((item) => isObject(item));
  const unknown = items.find((item) => isNameAlone(item));
  if (unknown !== undefined) throw notFound(unknown["id"], store);
  for (const kind of OWED) {
    const called = idsOf(items, kind);
    const answered = idsOf(items, `${kind}_output`);
    const silent = [...called].find((id) => !answered.has(id));
    if (silent !== undefined) throw invalid(`No tool output found for function call ${silent}.`, "input");
    const unasked = [...answered].find((id) => !called.has(id));
    if (unasked !== undefined)
      throw invalid(`No tool call found for function call output with call_id ${unasked}.`, "input");
  }
  for (const [place, item] of items.entries()) if (item["type"] === "reasoning") checkThoughts(item, items[place + 1]);
}

/** A reference, or thoughts of which there is nothing to read and nothing to decrypt. */
function isNameAlone({ type, encrypted_content: encrypted, content }: JsonObject): boolean {
  if (type === "item_reference") return true;
  const isReadable = Array.isArray(content) && content.length > 0;
  return type === "reasoning" && typeof encrypted !== "string" && !isReadable;
}

/** In OpenAI's own words. */
function notFound(id: unknown, store: unknown): Refusal {
  const why =
    store === false
      ? " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."
      : "";
  return new Refusal(404, `Item with id '${String(id)}' not found.${why}`, { param: "input" });
}

/** Thoughts belong to an item that follows them, and are known by the name they were encrypted under. */
function checkThoughts({ id, encrypted_content: encrypted }: JsonObject, next: JsonObject | undefined): void {
  if (encrypted === undefined) return;
  const name = unseal("encrypted", encrypted);
  if (name === null || (id !== undefined && id !== name))
    throw new Refusal(400, `The encrypted content for item ${String(id)} could not be verified.`, {
      code: "invalid_encrypted_content",
    });
  if (next === undefined || !saidByModel(next))
    throw invalid(`Item '${name}' of type 'reasoning' was provided without its required following item.`, "input");
}

/** Messages have a speaker; what a tool put out is named for it. */
const saidByModel = ({ role, type }: JsonObject): boolean =>
  role === undefined ? typeof type === "string" && !type.endsWith("_output") : role === "assistant";

const idsOf = (items: readonly JsonObject[], type: string): Set<string> =>
  new Set(items.flatMap((item) => (item["type"] === type ? [String(item["call_id"])] : [])));
