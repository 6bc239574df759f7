import { type Json, objectsOf } from "../form/read-json.ts";

const HOSTED_SEARCH = /^tool_search_tool_/;

/**
 * The tools of a message request that its model is to see: those that wait to be searched for, once a search has found them. A
 * search that the provider would run is not run on its way to another format, so nothing waits for it.
 */
export function foundTools(body: Json): Json[] {
  const tools = objectsOf(body["tools"]);
  const waiting = tools.some((tool) => waits(tool));
  if (!waiting || tools.some(({ type }) => typeof type === "string" && HOSTED_SEARCH.test(type))) return tools;
  const found = new Set(referencesIn(body));
  return tools.filter((tool) => !waits(tool) || found.has(tool["name"]));
}

const waits = (tool: Json): boolean => tool["defer_loading"] === true;

/** What searches of the caller's own have found so far. */
function referencesIn(body: Json): unknown[] {
  return objectsOf(body["messages"])
    .flatMap(({ content }) => objectsOf(content))
    .flatMap(({ content }) => objectsOf(content))
    .flatMap(({ type, tool_name: name }) => (type === "tool_reference" ? [name] : []));
}
