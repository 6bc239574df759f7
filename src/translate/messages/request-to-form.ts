import { addTurn, effortOf, EMPTY_FORM, textBlock } from "../form/build-form.ts";
import { citationOfSource } from "../form/citation.ts";
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
import { isStrictSchema } from "../form/tools/strict-schema.ts";
import type {
  Block,
  OutputFormat,
  RequestForm,
  Source,
  TextBlock,
  ThinkingForm,
  ToolChoice,
  Turn,
} from "../form/request-form.ts";
import { losesDemandedTool, offeredTools } from "./offered-tools.ts";
import { MESSAGES_SEARCH } from "../../wire/members/search-types.ts";
import { createFunctionNames, type FunctionNames } from "../form/tools/tool-names.ts";

/** Budgets of thinking as efforts; each is the least budget of its effort. */
const EFFORT_BUDGETS = [
  { effort: "high", tokens: 16_384 },
  { effort: "medium", tokens: 4_096 },
  { effort: "low", tokens: 0 },
] as const;

/** What this caller calls its tools, and what was sealed for it. */
type Reading = { names: FunctionNames; open: OpenSeal };

/** A message request, which has been checked, in the form. */
export function messagesToForm(body: Json, open: OpenSeal): RequestForm {
  const names = messagesToolNames(body);
  const reading = { names, open };
  const turns: Turn[] = [];
  for (const { role, content } of objectsOf(body["messages"])) {
    addTurn(turns, role === "assistant" ? "assistant" : "user", blocksOf(content, reading));
  }
  const { stop_sequences: stop, tool_choice: choice } = body;
  const disabled = booleanOrNull(objectOf(choice)["disable_parallel_tool_use"]);
  return {
    ...EMPTY_FORM,
    system: blocksOf(body["system"], reading).filter((block): block is TextBlock => block.kind === "text"),
    turns,
    tools: offeredTools(body).map((tool) => ({
      name: names.nameOf(textOf(tool["name"])),
      description: textOrNull(tool["description"]),
      schema: objectOf(tool["input_schema"]),
      strict: isEnforceable(tool) ? booleanOrNull(tool["strict"]) : null,
      cacheHint: objectOrNull(tool["cache_control"]),
    })),
    search: objectsOf(body["tools"]).some(({ type }) => typeof type === "string" && MESSAGES_SEARCH.test(type)),
    // Another tool in place of a lost one is nothing that the caller has asked for; so the model decides.
    toolChoice: losesDemandedTool(body) ? null : toolChoiceOf(objectOf(choice), names),
    parallelCalls: disabled === null ? null : !disabled,
    temperature: numberOrNull(body["temperature"]),
    topP: numberOrNull(body["top_p"]),
    stop: Array.isArray(stop) ? (stop as string[]) : [],
    outputFormat: outputFormatOf(
      objectOrNull(objectOf(body["output_config"])["format"]) ?? objectOf(body["output_format"]),
    ),
    thinking: thinkingOf(objectOf(body["thinking"]), objectOf(body["output_config"])),
    user: textOrNull(objectOf(body["metadata"])["user_id"]),
  };
}

/** Of the tools that wait to be searched for as well, so that none is called otherwise once it is found. */
export const messagesToolNames = (body: Json): FunctionNames =>
  createFunctionNames(objectsOf(body["tools"]).map(({ name }) => textOf(name)));

function blocksOf(content: unknown, reading: Reading): Block[] {
  if (typeof content === "string") return content === "" ? [] : [textBlock(content)];
  return objectsOf(content).flatMap((block) => blockOf(block, reading));
}

function blockOf(block: Json, reading: Reading): Block[] {
  const { names, open } = reading;
  const cacheHint = objectOrNull(block["cache_control"]);
  switch (block["type"]) {
    case "text":
      return block["text"] === "" ? [] : [citedText(block, cacheHint, open)];
    case "image":
      return [{ kind: "image", source: sourceOf(objectOf(block["source"])), detail: null, cacheHint }];
    case "document":
      return documentOf(block, reading);
    case "thinking":
      return [{ kind: "thinking", text: textOf(block["thinking"]), native: open(block["signature"]) }];
    case "redacted_thinking":
      return [{ kind: "thinking", text: "", native: open(block["data"]) }];
    case "tool_use": {
      const { id, name, input } = block;
      const called = names.nameOf(textOf(name));
      return [{ kind: "tool_call", id: textOf(id), name: called, input: JSON.stringify(input ?? {}), cacheHint }];
    }
    case "tool_result":
      return [
        {
          kind: "tool_result",
          callId: textOf(block["tool_use_id"]),
          blocks: blocksOf(block["content"], reading),
          failed: block["is_error"] === true,
          cacheHint,
        },
      ];
    // A search for tools answers with these. The tools it means are offered from then on, so their names say enough.
    case "tool_reference":
      return [textBlock(`Tool available: ${names.nameOf(textOf(block["tool_name"]))}`)];
    default:
      return [];
  }
}

function citedText(block: Json, cacheHint: Json | null, open: OpenSeal): TextBlock {
  const citations = objectsOf(block["citations"]).flatMap((citation) => citationOfSource(citation, open) ?? []);
  return { ...textBlock(textOf(block["text"]), cacheHint), ...(citations.length === 0 ? {} : { citations }) };
}

function sourceOf(source: Json): Source {
  if (source["type"] === "url") return { kind: "url", url: textOf(source["url"]) };
  return { kind: "inline", mediaType: textOf(source["media_type"]), data: textOf(source["data"]) };
}

/** A document that is text, or made of blocks, is as good as its text under its title. */
function documentOf(block: Json, reading: Reading): Block[] {
  const cacheHint = objectOrNull(block["cache_control"]);
  const source = objectOf(block["source"]);
  const title = textOrNull(block["title"]);
  const titled = title === null || title === "" ? [] : [textBlock(`${title}\n\n`)];
  if (source["type"] === "text") return [...titled, textBlock(textOf(source["data"]), cacheHint)];
  if (source["type"] === "content") return hinted([...titled, ...blocksOf(source["content"], reading)], cacheHint);
  return [{ kind: "document", source: sourceOf(source), name: title, cacheHint }];
}

/** What is said of the whole is said of its end, unless something else is. */
function hinted(blocks: Block[], cacheHint: Json | null): Block[] {
  const last = blocks.at(-1);
  if (cacheHint === null || last?.kind !== "text" || last.cacheHint !== null) return blocks;
  return [...blocks.slice(0, -1), { ...last, cacheHint }];
}

function toolChoiceOf({ type, name }: Json, names: FunctionNames): ToolChoice | null {
  switch (type) {
    case "auto":
    case "none":
      return { kind: type };
    case "any":
      return { kind: "required" };
    case "tool":
      return { kind: "tool", name: names.nameOf(textOf(name)) };
    default:
      return null;
  }
}

function outputFormatOf({ type, schema }: Json): OutputFormat | null {
  if (type !== "json_schema") return null;
  return {
    kind: "schema",
    name: "answer",
    description: null,
    schema: objectOf(schema),
    strict: isStrictSchema(schema),
  };
}

/** The other formats take a tool's schema to the letter only when it leaves nothing open; then it is told as a wish. */
const isEnforceable = ({ strict, input_schema: schema }: Json): boolean => strict !== true || isStrictSchema(schema);

function thinkingOf({ type, budget_tokens: budget, display }: Json, output: Json): ThinkingForm | null {
  const asked = effortOf(output["effort"]);
  const shown = display !== "omitted";
  switch (type) {
    case "enabled": {
      const tokens = numberOrNull(budget) ?? 0;
      return { effort: asked ?? EFFORT_BUDGETS.find((row) => tokens >= row.tokens)?.effort ?? "low", shown };
    }
    case "adaptive":
      return { effort: asked, shown };
    default:
      return asked === null ? null : { effort: asked, shown: false };
  }
}
