import { effortOf, EMPTY_FORM, fileOf, sourceOf, textBlock, withSystem } from "../form/build-form.ts";
import type { OpenSeal } from "../form/native.ts";
import type { Json } from "../../core/bytes/json.ts";
import {
  booleanOrNull,
  numberOrNull,
  objectOf,
  objectOrNull,
  objectsOf,
  textOf,
  textOrNull,
} from "../form/read-json.ts";
import type { Block, OutputFormat, RequestForm, ThinkingForm, ToolChoice, Turn } from "../form/request-form.ts";
import { RESPONSES_SEARCH } from "../../wire/members/search-types.ts";
import { type CallerTools, CUSTOM_INPUT, readCallerTools, SEARCH, toolsIn } from "./caller-tools.ts";
import { type Conversation, createConversation } from "./conversation.ts";
import type { CallerTool } from "../form/tools/tool-names.ts";
import { PROBABILITIES } from "./form-to-request.ts";

/** A responses request, which has been checked, in the form. */
export function responsesToForm(body: Json, open: OpenSeal): RequestForm {
  const { input, instructions } = body;
  const conversation = createConversation();
  if (typeof input === "string") conversation.add({ role: "user", blocks: [textBlock(input)] });
  const tools = readCallerTools(body);
  for (const item of objectsOf(input)) addItem(conversation, item, { tools, open });
  const text = objectOf(body["text"]);
  return {
    ...EMPTY_FORM,
    ...withSystem(
      conversation.turns(),
      typeof instructions === "string" && instructions !== "" ? [textBlock(instructions)] : [],
    ),
    ...offeredBy(body["tool_choice"], tools),
    search: objectsOf(body["tools"]).some(({ type }) => typeof type === "string" && RESPONSES_SEARCH.test(type)),
    parallelCalls: booleanOrNull(body["parallel_tool_calls"]),
    temperature: numberOrNull(body["temperature"]),
    topP: numberOrNull(body["top_p"]),
    outputFormat: outputFormatOf(objectOf(text["format"])),
    verbosity: textOrNull(text["verbosity"]),
    thinking: thinkingOf(objectOf(body["reasoning"])),
    user: textOrNull(body["safety_identifier"]) ?? textOrNull(body["user"]),
    promptCacheKey: textOrNull(body["prompt_cache_key"]),
    labels: objectOrNull(body["metadata"]),
    probabilities: probabilitiesOf(body),
  };
}

/** What this caller calls its tools, and what was sealed for it. */
type Reading = { tools: CallerTools; open: OpenSeal };

/** An item without a type is a message; one that only brings tools has been read with them. */
function addItem({ add, addResult }: Conversation, item: Json, { tools, open }: Reading): void {
  const callId = textOf(item["call_id"]);
  const addCall = (tool: CallerTool, input: string): void =>
    add({ role: "assistant", blocks: [{ kind: "tool_call", id: callId, name: tools.nameOf(tool), input }] });

  switch (item["type"] ?? "message") {
    case "message":
      return add({ role: roleOf(item["role"]), blocks: contentOf(item["content"]) });
    case "function_call":
      return addCall(toolOf("function", item), textOf(item["arguments"]));
    case "custom_tool_call":
      return addCall(toolOf("custom", item), JSON.stringify({ [CUSTOM_INPUT]: textOf(item["input"]) }));
    case "function_call_output":
    case "custom_tool_call_output":
      return addResult(callId, contentOf(item["output"]));
    case "tool_search_call":
      if (item["execution"] === "client") addCall(SEARCH, JSON.stringify(objectOf(item["arguments"])));
      return;
    case "tool_search_output": {
      const found = toolsIn(item["tools"]).map((tool) => tools.nameOf(tool));
      if (item["execution"] === "client") addResult(callId, [textBlock(JSON.stringify({ tools: found }))]);
      return;
    }
    case "reasoning": {
      const native = open(item["encrypted_content"]);
      const text = objectsOf(item["summary"]).map((part) => textOf(part["text"]));
      if (native !== null) add({ role: "assistant", blocks: [{ kind: "thinking", text: text.join(""), native }] });
      return;
    }
    default:
      return;
  }
}

const toolOf = (kind: "function" | "custom", { name, namespace }: Json): CallerTool => ({
  kind,
  name: textOf(name),
  namespace: textOrNull(namespace),
});

function roleOf(role: unknown): Turn["role"] {
  if (role === "system" || role === "developer") return "system";
  return role === "assistant" ? "assistant" : "user";
}

function contentOf(content: unknown): Block[] {
  if (typeof content === "string") return content === "" ? [] : [textBlock(content)];
  return objectsOf(content).flatMap((part): Block[] => {
    switch (part["type"]) {
      case "input_text":
      case "output_text":
      case "text":
        return [textBlock(textOf(part["text"]))];
      case "refusal":
        return [{ kind: "refusal", text: textOf(part["refusal"]) }];
      case "input_image": {
        const { image_url: url, detail } = part;
        return [{ kind: "image", source: sourceOf(textOf(url)), detail: textOrNull(detail), cacheHint: null }];
      }
      case "input_file": {
        const { file_data: data, file_url: url, filename } = part;
        const source = typeof url === "string" ? { kind: "url" as const, url } : fileOf(textOf(data));
        return [{ kind: "document", source, name: textOrNull(filename), cacheHint: null }];
      }
      default:
        return [];
    }
  });
}

/** A choice among some of the tools is a choice among those that are offered; the others are not offered, then. */
function offeredBy(choice: unknown, tools: CallerTools): Pick<RequestForm, "tools" | "toolChoice"> {
  const { type, mode, tools: allowed } = objectOf(choice);
  if (type !== "allowed_tools") return { tools: [...tools.forms], toolChoice: toolChoiceOf(choice, tools) };
  const names = new Set(allowedIn(allowed).map((tool) => tools.nameOf(tool)));
  return {
    tools: tools.forms.filter(({ name }) => names.has(name)),
    toolChoice: toolChoiceOf(mode, tools),
  };
}

/** Tools are only named here, so that a search does not say who runs it. */
const allowedIn = (allowed: unknown): CallerTool[] =>
  objectsOf(allowed).flatMap((tool) => {
    const { type } = tool;
    if (type === "tool_search") return [SEARCH];
    return type === "function" || type === "custom" ? [toolOf(type, tool)] : [];
  });

function toolChoiceOf(choice: unknown, tools: CallerTools): ToolChoice | null {
  if (choice === "auto" || choice === "none" || choice === "required") return { kind: choice };
  const { type, ...tool } = objectOf(choice);
  return type === "function" || type === "custom" ? { kind: "tool", name: tools.nameOf(toolOf(type, tool)) } : null;
}

function outputFormatOf(format: Json): OutputFormat | null {
  if (format["type"] === "json_object") return { kind: "json" };
  if (format["type"] !== "json_schema") return null;
  return {
    kind: "schema",
    name: textOf(format["name"]),
    description: textOrNull(format["description"]),
    schema: objectOf(format["schema"]),
    strict: booleanOrNull(format["strict"]),
  };
}

function probabilitiesOf({ include, top_logprobs: alternatives }: Json): RequestForm["probabilities"] {
  const asked = Array.isArray(include) && include.includes(PROBABILITIES);
  return asked || (numberOrNull(alternatives) ?? 0) > 0 ? { alternatives: numberOrNull(alternatives) } : null;
}

function thinkingOf({ effort: asked, summary }: Json): ThinkingForm | null {
  const effort = effortOf(asked);
  const shown = typeof summary === "string";
  return effort === null && !shown ? null : { effort, shown };
}
