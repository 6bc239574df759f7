import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import type { Block, ProviderRun } from "./block.ts";
import { toolContent } from "./content.ts";
import type { Script } from "./script.ts";

/** Tools that a provider runs itself, by what their types begin with, and how often it may at most. */
type Offered = { searches: number; pages: number; together: number };

const TYPES = { searches: /^web_search(?!\w*options)/, pages: /^web_fetch/ };
const QUERY_TOKENS = 4;

/** What a request offers of them; null: nothing. */
export function providerRunIn({ tools, max_tool_calls: most }: JsonObject): Offered | null {
  const listed = Array.isArray(tools) ? tools.filter((tool: unknown) => isObject(tool)) : [];
  const capOf = (pattern: RegExp): number => {
    const tool = listed.find(({ type }) => typeof type === "string" && pattern.test(type));
    if (tool === undefined) return 0;
    return typeof tool["max_uses"] === "number" ? tool["max_uses"] : Number.POSITIVE_INFINITY;
  };
  // Google names its own by a member.
  const isGoogles = listed.some(({ googleSearch }) => isObject(googleSearch));
  const [searches, pages] = [isGoogles ? Number.POSITIVE_INFINITY : capOf(TYPES.searches), capOf(TYPES.pages)];
  const together = typeof most === "number" ? most : Number.POSITIVE_INFINITY;
  return searches + pages === 0 ? null : { searches, pages, together };
}

/** Whether nothing is offered beside them, so that nothing else can be called. */
export function offersNothingElse(body: JsonObject): boolean {
  const { tools } = body;
  if (!Array.isArray(tools) || providerRunIn(body) === null) return false;
  return tools.every(
    (tool: unknown) => isObject(tool) && Object.values(TYPES).some((type) => type.test(String(tool["type"]))),
  );
}

/**
 * What the script wants to search and open, as far as the request lets it. A provider of messages lets its model try once more than it may,
 * and tells it so; one of responses ignores that.
 */
export function plannedRuns(script: Script, body: JsonObject): Block[] {
  const offered = providerRunIn(body);
  if (offered === null) return [];
  const isMessages = "messages" in body;
  const wanted = [
    ...Array.from({ length: script.searches }, () => "search" as const),
    ...Array.from({ length: script.pages }, () => "page" as const),
  ];
  const done = { search: 0, page: 0 };
  const runs: ProviderRun[] = [];
  for (const action of wanted) {
    // Pages are opened by the tool that searches, where there is none of their own.
    if (script.heedless) {
      runs.push({ action, found: script.foundTokens });
      continue;
    }
    const cap = isMessages ? offered[action === "search" ? "searches" : "pages"] : Number.POSITIVE_INFINITY;
    if (!isMessages && done.search + done.page >= offered.together) break;
    if (done[action] > cap || cap === 0) continue;
    runs.push({ action, found: done[action] === cap ? null : script.foundTokens });
    done[action] += 1;
  }
  return runs.map((run, number) => ({
    kind: "search",
    ...run,
    number,
    tokens: QUERY_TOKENS,
    content: toolContent(QUERY_TOKENS),
    whole: true,
  }));
}

/** The input that is billed for them all: the prompt again after each, and all that was found before. */
export function inputRead(prompt: number, runs: readonly ProviderRun[]): number {
  let found = 0;
  return runs.reduce((sum, run) => sum + prompt + (found += run.found ?? 0), prompt);
}
