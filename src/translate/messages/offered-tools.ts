import type { Json } from "../../core/bytes/json.ts";
import { objectOf, objectsOf } from "../form/read-json.ts";

const HOSTED_SEARCH = /^tool_search_tool_/;

/**
 * The tools of a message request that its model is to see: those that wait to be searched for, once a search has found them or
 * they must be called. A search that the provider would run is not run on its way to another format, so nothing waits for it.
 * Tools of the provider's own making are lost on that way.
 */
export function offeredTools(body: Json): Json[] {
  const tools = objectsOf(body["tools"]);
  const own = tools.filter(({ type }) => type === undefined || type === "custom");
  const waiting = own.some((tool) => waits(tool));
  if (!waiting || tools.some(({ type }) => typeof type === "string" && HOSTED_SEARCH.test(type))) return own;
  const found = new Set([...referencesIn(body), demandedTool(body)]);
  return own.filter((tool) => !waits(tool) || found.has(tool["name"]));
}

/** Whether the tool that must be called is lost; one that was never there is the caller's own mistake, and the provider's to tell. */
export function losesDemandedTool(body: Json): boolean {
  const demanded = demandedTool(body);
  const isDemanded = ({ name }: Json): boolean => name === demanded;
  return demanded !== null && objectsOf(body["tools"]).some(isDemanded) && !offeredTools(body).some(isDemanded);
}

function demandedTool(body: Json): string | null {
  const { type, name } = objectOf(body["tool_choice"]);
  return type === "tool" && typeof name === "string" ? name : null;
}

const waits = (tool: Json): boolean => tool["defer_loading"] === true;

/** What searches of the caller's own have found so far. */
function referencesIn(body: Json): unknown[] {
  return objectsOf(body["messages"])
    .flatMap(({ content }) => objectsOf(content))
    .flatMap(({ content }) => objectsOf(content))
    .flatMap(({ type, tool_name: name }) => (type === "tool_reference" ? [name] : []));
}
