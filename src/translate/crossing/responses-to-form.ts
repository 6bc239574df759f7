import { addTurn, effortOf, EMPTY_FORM, functionTool, sourceOf, textBlock, withSystem } from "../form/build-form.ts";
import { openNative } from "../form/native.ts";
import {
  booleanOrNull,
  type Json,
  numberOrNull,
  objectOf,
  objectOrNull,
  objectsOf,
  textOf,
  textOrNull,
} from "../form/read-json.ts";
import type { Block, OutputFormat, RequestForm, ThinkingForm, ToolChoice, Turn } from "../form/request-form.ts";

/** A responses request, which has been checked, in the form. */
export function responsesToForm(body: Json): RequestForm {
  const { input, instructions } = body;
  const turns: Turn[] = [];
  if (typeof input === "string") addTurn(turns, "user", [textBlock(input)]);
  for (const item of objectsOf(input)) addItem(turns, item);
  const text = objectOf(body["text"]);
  return {
    ...EMPTY_FORM,
    ...withSystem(turns, typeof instructions === "string" && instructions !== "" ? [textBlock(instructions)] : []),
    tools: objectsOf(body["tools"])
      .filter(({ type }) => type === "function")
      .map((tool) => functionTool(tool)),
    toolChoice: toolChoiceOf(body["tool_choice"]),
    parallelCalls: booleanOrNull(body["parallel_tool_calls"]),
    temperature: numberOrNull(body["temperature"]),
    topP: numberOrNull(body["top_p"]),
    outputFormat: outputFormatOf(objectOf(text["format"])),
    verbosity: textOrNull(text["verbosity"]),
    thinking: thinkingOf(objectOf(body["reasoning"])),
    user: textOrNull(body["safety_identifier"]) ?? textOrNull(body["user"]),
    promptCacheKey: textOrNull(body["prompt_cache_key"]),
    labels: objectOrNull(body["metadata"]),
  };
}

/** An item without a type is a message. */
function addItem(turns: Turn[], item: Json): void {
  switch (item["type"] ?? "message") {
    case "message":
      return addTurn(turns, roleOf(item["role"]), contentOf(item["content"]));
    case "function_call": {
      const { call_id: id, name, arguments: input } = item;
      return addTurn(turns, "assistant", [
        { kind: "tool_call", id: textOf(id), name: textOf(name), input: textOf(input) },
      ]);
    }
    case "function_call_output":
      return addTurn(turns, "user", [
        { kind: "tool_result", callId: textOf(item["call_id"]), blocks: contentOf(item["output"]), failed: false },
      ]);
    case "reasoning": {
      const native = openNative(item["encrypted_content"]);
      const thought = objectsOf(item["summary"]).map(({ text }) => textOf(text));
      return native === null
        ? undefined
        : addTurn(turns, "assistant", [{ kind: "thinking", text: thought.join(""), native }]);
    }
    default:
      return undefined;
  }
}

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
        const source = typeof url === "string" ? { kind: "url" as const, url } : sourceOf(textOf(data));
        return [{ kind: "document", source, name: textOrNull(filename), cacheHint: null }];
      }
      default:
        return [];
    }
  });
}

function toolChoiceOf(choice: unknown): ToolChoice | null {
  if (choice === "auto" || choice === "none" || choice === "required") return { kind: choice };
  const { type, name } = objectOf(choice);
  return type === "function" ? { kind: "tool", name: textOf(name) } : null;
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

function thinkingOf({ effort: asked, summary }: Json): ThinkingForm | null {
  const effort = effortOf(asked);
  const shown = typeof summary === "string";
  return effort === null && !shown ? null : { effort, shown };
}
