import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { ProviderRuns } from "../answer-stage.ts";

/** What a result has of letters for each token that is billed for it: fewer were seen, so that no caller is charged more than it caused. */
const LETTERS_PER_TOKEN = 4;

const RESULT = /^(\w+)_tool_result$/;
/** Others cost nothing beside their tokens, or are not asked for. */
const BILLED: ReadonlySet<string> = new Set(["web_search", "web_fetch"]);

/**
 * What tools of the provider have done in a stream so far, for one that ends before its usage is said. `said`: what the provider has said of
 * the input at its start; it is read again after every result, together with all results before.
 */
export function createMessagesRuns(said: () => Usage | null) {
  const toolCalls: Record<string, number> = {};
  let running = false;
  let unread = false;
  let brought = 0;
  let inputTokens = 0;

  /** A block begins. */
  function began({ content_block: block }: Json): void {
    if (!isObject(block)) return;
    const { type, content } = block;
    running = type === "server_tool_use";
    const result = typeof type === "string" ? RESULT.exec(type) : null;
    if (result === null) {
      if (unread) inputTokens += freshIn(said()) + brought;
      unread = false;
      return;
    }
    unread = true;
    if (hasFailed(content)) return;
    const tool = result[1] ?? "";
    if (BILLED.has(tool)) toolCalls[tool] = (toolCalls[tool] ?? 0) + 1;
    if (!isEncoded(content)) brought += Math.floor(JSON.stringify(content ?? "").length / LETTERS_PER_TOKEN);
  }

  return { began, soFar: (): ProviderRuns => ({ toolCalls: { ...toolCalls }, inputTokens, running }) };
}

/** What failed is not billed. */
const hasFailed = (content: unknown): boolean =>
  isObject(content) && typeof content["type"] === "string" && content["type"].endsWith("_error");

/** A file, whose letters say nothing of its tokens. */
function isEncoded(content: unknown): boolean {
  const document = isObject(content) ? content["content"] : null;
  const source = isObject(document) ? document["source"] : null;
  return isObject(source) && source["type"] === "base64";
}

/** What a cache holds is read there again, at a price that is a tenth. */
const freshIn = (usage: Usage | null): number =>
  usage === null ? 0 : Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
