import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { sign, unseal } from "../plan/proof.ts";
import { invalid } from "../ask/refusal.ts";

/** Refuses what providers of this dialect refuse of a conversation: calls without results, results without calls, forged thoughts. */
export function checkMessages(messages: readonly unknown[]): void {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) continue;
    const at = `messages.${index}`;
    const blocks = blocksOf(message["content"]);
    if (message["role"] === "assistant") {
      if (open.size > 0) throw unanswered(at, open);
      for (const [place, block] of blocks.entries()) checkThoughts(block, `${at}.content.${place}`);
      open = new Set(namesIn(blocks, "tool_use", "id"));
      continue;
    }
    for (const id of namesIn(blocks, "tool_result", "tool_use_id")) {
      if (!open.delete(id))
        throw invalid(
          `${at}: unexpected \`tool_use_id\` in \`tool_result\`: ${id}; the message before has no such call`,
        );
    }
    if (open.size > 0) throw unanswered(at, open);
  }
  if (open.size > 0) throw unanswered(`messages.${messages.length}`, open);
}

const unanswered = (at: string, [id]: ReadonlySet<string>) =>
  invalid(`${at}: \`tool_use\` without a \`tool_result\` right after it: ${id}`);

function checkThoughts({ type, thinking, signature, data }: JsonObject, at: string): void {
  if (type === "thinking" && sign("signature", String(thinking)) !== signature)
    throw invalid(`${at}: Invalid \`signature\` in \`thinking\` block`);
  if (type === "redacted_thinking" && unseal("redacted", data) === null)
    throw invalid(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
}

const blocksOf = (content: unknown): JsonObject[] =>
  Array.isArray(content) ? content.filter((block) => isObject(block)) : [];

const namesIn = (blocks: readonly JsonObject[], type: string, field: string): string[] =>
  blocks.flatMap((block) => (block["type"] === type ? [String(block[field])] : []));
