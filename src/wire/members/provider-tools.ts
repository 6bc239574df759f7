import { isObject } from "../../core/bytes/is-object.ts";
import { type AskedTool, capOf, type ProviderTool } from "../../core/request/provider-tools.ts";
import type { GenerationRequest } from "../generation-request.ts";
import { editMembers } from "../json/edit-members.ts";
import { findElements, findMembers } from "../json/members.ts";
import { MESSAGES_SEARCH, RESPONSES_SEARCH } from "./search-types.ts";
import { isCount } from "../token-count.ts";

/** Each has a cap of its own in messages. */
export function askedByMessages({ tools }: Readonly<Record<string, unknown>>): readonly AskedTool[] {
  return typesIn(tools).flatMap(({ type, at, tool }) => {
    const name = MESSAGES_SEARCH.exec(type)?.[1] as ProviderTool | undefined;
    return name === undefined ? [] : [{ name, at, most: countOrNull(tool["max_uses"]) }];
  });
}

/** One cap holds for all tools of a response together. */
export function askedByResponses({
  tools,
  max_tool_calls: most,
}: Readonly<Record<string, unknown>>): readonly AskedTool[] {
  const first = typesIn(tools).find(({ type }) => RESPONSES_SEARCH.test(type));
  return first === undefined ? [] : [{ name: "web_search", at: first.at, most: countOrNull(most) }];
}

/** Chat completions are asked to search by a member of their own, and search once for each answer. */
export const askedByChat = (
  { web_search_options: options }: Readonly<Record<string, unknown>>,
  choices: number,
): readonly AskedTool[] =>
  options === undefined || options === null
    ? []
    : [{ name: "web_search", at: "web_search_options", most: choices, always: true }];

type Listed = { type: string; at: string; tool: Record<string, unknown> };

const typesIn = (tools: unknown): Listed[] =>
  Array.isArray(tools)
    ? tools.flatMap((tool: unknown, place) =>
        isObject(tool) && typeof tool["type"] === "string"
          ? [{ type: tool["type"], at: `tools.${place}.type`, tool }]
          : [],
      )
    : [];

const countOrNull = (value: unknown): number | null => (isCount(value) ? value : null);

type Capped = Pick<GenerationRequest, "dialect" | "bytes" | "members" | "edits" | "providerTools">;

/** The same request with a cap on how often each tool of the provider's runs; the very same where there is none to cap. */
export function withCaps<Request extends Capped>(request: Request, mostCalls: number): Request {
  const { dialect, providerTools: asked = [], edits } = request;
  const [first] = asked;
  // What searches once for each answer needs no cap.
  if (first === undefined || dialect === "chat") return request;
  if (dialect === "responses")
    return { ...request, edits: { ...edits, max_tool_calls: String(capOf(first, mostCalls)) } };
  const tools = cappedTools(request, mostCalls);
  return tools === null ? request : { ...request, edits: { ...edits, tools } };
}

/** Every byte but those of the caps stays as the caller wrote it. */
function cappedTools({ bytes, members }: Capped, mostCalls: number): string | null {
  const list = members.list.find(({ name }) => name === "tools");
  if (list === undefined) return null;
  let text = "";
  let from = list.valueStart;
  for (const [start, end] of findElements(bytes, list)) {
    const element = bytes.subarray(start, end);
    const tool: unknown = JSON.parse(element.toString("utf8"));
    const [asked] = askedByMessages({ tools: [tool] });
    if (asked === undefined) continue;
    const cap = capOf(asked, mostCalls);
    text += bytes.toString("utf8", from, start);
    text += editMembers(element, findMembers(element), { max_uses: String(cap) }).toString("utf8");
    from = end;
  }
  return text === "" ? null : text + bytes.toString("utf8", from, list.valueEnd);
}
