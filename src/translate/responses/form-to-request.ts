import { plainText, sentSource, urlOf } from "../form/build-form.ts";
import { type CallIdRules, withCallIds } from "../form/tools/call-ids.ts";
import { urlCitation } from "../form/citation.ts";
import type { Json } from "../../core/bytes/json.ts";
import { said, textOrNull } from "../form/read-json.ts";
import type { Block, OutputFormat, RequestForm, TextBlock, ToolChoice, ToolForm, Turn } from "../form/request-form.ts";
import type { ProviderTold } from "../form/sides.ts";
import { toolSchema } from "../form/tools/tool-schema.ts";
import { ENCRYPTED_THOUGHTS } from "../../wire/responses/included.ts";

/** How likely each token was comes back only when asked for by this name. */
export const PROBABILITIES = "message.output_text.logprobs";
/** OpenAI refuses longer ones. */
const CALL_IDS: CallIdRules = { most: 64 };

export function formToResponses(form: RequestForm, told: ProviderTold): Json {
  const { model, stream, maxOutputTokens, quirks } = told;
  const { system, thinking } = form;
  const thinks = thinking !== null && thinking.effort !== "none";
  const include = [...(thinks ? [ENCRYPTED_THOUGHTS] : []), ...(form.probabilities === null ? [] : [PROBABILITIES])];
  return said({
    model,
    instructions: system.length === 0 ? null : plainText(system, "\n\n"),
    input: withCallIds(form.turns, CALL_IDS).flatMap((turn) => itemsOf(turn)),
    // Agents ask for one token to see whether anybody answers; a few more are better than a refusal.
    max_output_tokens:
      maxOutputTokens === null ? null : Math.max(maxOutputTokens, quirks?.responses?.leastOutputTokens ?? 0),
    temperature: form.temperature,
    top_p: form.topP,
    tools: form.tools.length === 0 ? null : form.tools.map((tool) => toolOf(tool)),
    tool_choice: form.tools.length === 0 ? null : choiceOf(form.toolChoice),
    parallel_tool_calls: form.tools.length === 0 ? null : form.parallelCalls,
    text: textOf(form),
    reasoning: thinking === null ? null : said({ effort: thinking.effort, summary: thinking.shown ? "auto" : null }),
    include: include.length === 0 ? null : include,
    top_logprobs: form.probabilities?.alternatives,
    safety_identifier: form.user,
    prompt_cache_key: form.promptCacheKey,
    metadata: form.labels,
    // A provider keeps what it is not told to forget.
    store: false,
    stream: stream ? true : null,
  });
}

/** Blocks in order; neighbours that belong in one message are one. */
function itemsOf({ role, blocks }: Turn): Json[] {
  const items: Json[] = [];
  let parts: Json[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push({ type: "message", role, content: parts });
    parts = [];
  };
  for (const block of blocks) {
    const part = partOf(block, role);
    if (part !== null) {
      parts.push(part);
      continue;
    }
    flush();
    items.push(...itemOf(block));
  }
  flush();
  return items;
}

function partOf(block: Block, role: Turn["role"]): Json | null {
  switch (block.kind) {
    case "text":
      return role === "assistant" ? spokenPart(block) : { type: "input_text", text: block.text };
    case "refusal":
      return { type: "refusal", refusal: block.text };
    case "image":
      return { type: "input_image", image_url: urlOf(sentSource(block)), detail: block.detail ?? "auto" };
    case "document":
      return block.source.kind === "url"
        ? { type: "input_file", file_url: block.source.url }
        : { type: "input_file", filename: block.name ?? "document.pdf", file_data: urlOf(sentSource(block)) };
    case "thinking":
    case "tool_call":
    case "tool_result":
      return null;
    default:
      return block satisfies never;
  }
}

function spokenPart({ text, citations = [] }: TextBlock): Json {
  const annotations = citations.map((citation) => ({
    type: "url_citation",
    ...urlCitation(citation, { offset: 0, length: text.length }),
  }));
  return { type: "output_text", text, ...(annotations.length === 0 ? {} : { annotations }) };
}

function itemOf(block: Block): Json[] {
  switch (block.kind) {
    case "tool_call":
      return [{ type: "function_call", call_id: block.id, name: block.name, arguments: block.input || "{}" }];
    case "tool_result": {
      const onlyText = block.blocks.every(({ kind }) => kind === "text");
      const parts = block.blocks.flatMap((inner) => partOf(inner, "user") ?? []);
      return [
        {
          type: "function_call_output",
          call_id: block.callId,
          output: onlyText ? plainText(block.blocks, "\n") : parts,
        },
      ];
    }
    case "thinking": {
      if (block.native?.dialect !== "responses") return [];
      const { id, encrypted_content: encrypted } = block.native.value;
      if (typeof encrypted !== "string") return [];
      const summary = block.text === "" ? [] : [{ type: "summary_text", text: block.text }];
      return [said({ id: textOrNull(id), encrypted_content: encrypted, summary, type: "reasoning" })];
    }
    case "text":
    case "refusal":
    case "image":
    case "document":
      return [];
    default:
      return block satisfies never;
  }
}

/** Left out, strictness means yes here and no in the other dialects. */
const toolOf = ({ name, description, schema, strict }: ToolForm): Json =>
  said({ type: "function", name, description, parameters: toolSchema(schema), strict: strict ?? false });

function choiceOf(choice: ToolChoice | null): unknown {
  return choice?.kind === "tool" ? { type: "function", name: choice.name } : (choice?.kind ?? null);
}

function textOf({ outputFormat, verbosity }: RequestForm): Json | null {
  const format = formatOf(outputFormat);
  return format === null && verbosity === null ? null : said({ format, verbosity });
}

function formatOf(format: OutputFormat | null): Json | null {
  if (format === null) return null;
  if (format.kind === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return said({ type: "json_schema", name, description, schema, strict: strict ?? false });
}
