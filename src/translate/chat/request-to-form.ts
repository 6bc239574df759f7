import {
  addTurn,
  effortOf,
  EMPTY_FORM,
  fileOf,
  functionTool,
  sourceOf,
  textBlock,
  withSystem,
} from "../form/build-form.ts";
import { type Citation, citationsOfUrls } from "../form/citation.ts";
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
import { createFunctionNames, type FunctionNames } from "../form/tools/tool-names.ts";
import { inPlace, openPlaced } from "./thought-place.ts";

/** A chat completion request, which has been checked, in the form. */
export function chatToForm(body: Json, open: OpenSeal): RequestForm {
  const names = chatToolNames(body);
  const turns: Turn[] = [];
  for (const message of objectsOf(body["messages"])) addMessage(turns, message, { names, open });
  const { stop } = body;
  return {
    ...EMPTY_FORM,
    ...withSystem(turns, []),
    ...toolsOf(body, names),
    search: objectOrNull(body["web_search_options"]) !== null,
    parallelCalls: booleanOrNull(body["parallel_tool_calls"]),
    temperature: numberOrNull(body["temperature"]),
    topP: numberOrNull(body["top_p"]),
    stop: typeof stop === "string" ? [stop] : Array.isArray(stop) ? (stop as string[]) : [],
    outputFormat: outputFormatOf(objectOf(body["response_format"])),
    verbosity: textOrNull(body["verbosity"]),
    thinking: thinkingOf(body["reasoning_effort"]),
    user: textOrNull(body["safety_identifier"]) ?? textOrNull(body["user"]),
    promptCacheKey: textOrNull(body["prompt_cache_key"]),
    labels: objectOrNull(body["metadata"]),
    probabilities: probabilitiesOf(body),
  };
}

export const chatToolNames = ({ tools }: Json): FunctionNames =>
  createFunctionNames(objectsOf(tools).map((tool) => textOf(objectOf(tool["function"])["name"])));

/** What this caller calls its tools, and what was sealed for it. */
type Reading = { names: FunctionNames; open: OpenSeal };

function addMessage(turns: Turn[], message: Json, reading: Reading): void {
  const said = contentOf(message["content"]);
  switch (message["role"]) {
    case "system":
    case "developer":
      return addTurn(turns, "system", said);
    case "assistant":
      return addTurn(turns, "assistant", assistantBlocks(message, said, reading));
    case "tool":
      return addTurn(turns, "user", [
        { kind: "tool_result", callId: textOf(message["tool_call_id"]), blocks: said, failed: false },
      ]);
    default:
      return addTurn(turns, "user", said);
  }
}

function assistantBlocks(message: Json, said: Block[], { names, open }: Reading): Block[] {
  const thoughts = objectsOf(message["reasoning_details"]).flatMap(
    (detail) => openPlaced(detail["signature"] ?? detail["data"], textOf(detail["text"]), open) ?? [],
  );
  const words = withCitations(said, message["annotations"]);
  if (typeof message["refusal"] === "string") words.push({ kind: "refusal", text: message["refusal"] });
  const calls = objectsOf(message["tool_calls"]).map((call): Block => {
    const { name, arguments: input } = objectOf(call["function"]);
    return { kind: "tool_call", id: textOf(call["id"]), name: names.nameOf(textOf(name)), input: textOf(input) };
  });
  return inPlace(thoughts, words, calls);
}

const movedBack = ({ span, ...citation }: Citation, by: number): Citation => ({
  ...citation,
  span: span && { start: span.start - by, end: span.end - by },
});

/** Annotations count from the beginning of the content, each text block from its own. */
function withCitations(said: readonly Block[], annotations: unknown): Block[] {
  const startOf = ({ span }: Citation): number => span?.start ?? 0;
  const sorted = citationsOfUrls(annotations).sort((a, b) => startOf(a) - startOf(b));
  if (sorted.length === 0) return [...said];
  let offset = 0;
  let next = 0;
  return said.map((block) => {
    if (block.kind !== "text") return block;
    const first = next;
    const before = offset;
    offset += block.text.length;
    for (let citation = sorted[next]; citation && startOf(citation) < offset; citation = sorted[next]) next++;
    const citations = sorted.slice(first, next).map((citation) => movedBack(citation, before));
    return citations.length === 0 ? block : { ...block, citations };
  });
}

function contentOf(content: unknown): Block[] {
  if (typeof content === "string") return content === "" ? [] : [textBlock(content)];
  return objectsOf(content).flatMap((part) => blockOf(part));
}

function blockOf(part: Json): Block[] {
  const cacheHint = objectOrNull(part["cache_control"]);
  switch (part["type"]) {
    case "text":
      return [textBlock(textOf(part["text"]), cacheHint)];
    case "refusal":
      return [{ kind: "refusal", text: textOf(part["refusal"]) }];
    case "image_url": {
      const { url, detail } = objectOf(part["image_url"]);
      return [{ kind: "image", source: sourceOf(textOf(url)), detail: textOrNull(detail), cacheHint }];
    }
    case "file": {
      const { file_data: data, filename } = objectOf(part["file"]);
      return [{ kind: "document", source: fileOf(textOf(data)), name: textOrNull(filename), cacheHint }];
    }
    default:
      return [];
  }
}

/** A choice among some of the tools is a choice among those that are offered; the others are not offered, then. */
function toolsOf(body: Json, names: FunctionNames): Pick<RequestForm, "tools" | "toolChoice"> {
  const { tools: offered, tool_choice: choice } = body;
  const nameOf = (tool: Json): string => names.nameOf(textOf(objectOf(tool["function"])["name"]));
  const tools = objectsOf(offered)
    .filter(({ type }) => type === "function")
    .map((tool) => ({
      ...functionTool({ ...objectOf(tool["function"]), name: nameOf(tool) }),
      cacheHint: objectOrNull(tool["cache_control"]),
    }));
  const { type, allowed_tools: allowed } = objectOf(choice);
  if (type !== "allowed_tools") return { tools, toolChoice: toolChoiceOf(choice, nameOf) };
  const { mode, tools: named } = objectOf(allowed);
  const allowedNames = new Set(objectsOf(named).map((tool) => nameOf(tool)));
  return { tools: tools.filter(({ name }) => allowedNames.has(name)), toolChoice: toolChoiceOf(mode, nameOf) };
}

function toolChoiceOf(choice: unknown, nameOf: (tool: Json) => string): ToolChoice | null {
  if (choice === "auto" || choice === "none" || choice === "required") return { kind: choice };
  const tool = objectOf(choice);
  return tool["type"] === "function" ? { kind: "tool", name: nameOf(tool) } : null;
}

function outputFormatOf({ type, json_schema: given }: Json): OutputFormat | null {
  if (type === "json_object") return { kind: "json" };
  if (type !== "json_schema") return null;
  const { name, description, schema, strict } = objectOf(given);
  return {
    kind: "schema",
    name: textOf(name),
    description: textOrNull(description),
    schema: objectOf(schema),
    strict: booleanOrNull(strict),
  };
}

function probabilitiesOf({ logprobs, top_logprobs: alternatives }: Json): RequestForm["probabilities"] {
  return logprobs === true || (numberOrNull(alternatives) ?? 0) > 0
    ? { alternatives: numberOrNull(alternatives) }
    : null;
}

function thinkingOf(value: unknown): ThinkingForm | null {
  const effort = effortOf(value);
  return effort === null ? null : { effort, shown: false };
}
