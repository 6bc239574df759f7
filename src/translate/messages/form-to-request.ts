import { DEFAULT_MAX_TOKENS } from "../../wire/messages/messages-request.ts";
import { hasWords, sentSource } from "../form/build-form.ts";
import { type CallIdRules, withCallIds } from "../form/tools/call-ids.ts";
import { argumentsIn } from "../form/parse-exactly.ts";
import type { Json } from "../../core/bytes/json.ts";
import { said } from "../form/read-json.ts";
import type { Block, OutputFormat, RequestForm, Source, ToolChoice, ToolForm, Turn } from "../form/request-form.ts";
import type { ProviderTold } from "../form/sides.ts";
import { toolSchema } from "../form/tools/tool-schema.ts";
import { heldSchema, isHoldable } from "../form/claude/schema.ts";
import { takesSampling, thinkingFor } from "../form/claude/thinking.ts";

/** This dialect's range of temperature ends where others' middle is. */
const MOST_TEMPERATURE = 1;

export function formToMessages(form: RequestForm, { model, stream, maxOutputTokens }: ProviderTold): Json {
  const maxTokens = maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const { thinking, effort } = thinkingFor(form, { model, maxTokens, dialect: "messages" });
  // A model that thinks takes no sampling at all, and neither do the newest; others take one of the two.
  const sampled = thinking === null && takesSampling(model);
  const temperature = sampled && form.temperature !== null ? Math.min(form.temperature, MOST_TEMPERATURE) : null;
  const stop = form.stop.filter((sequence) => hasWords(sequence));
  const system = form.system.flatMap((block) => contentOf(block));
  return said({
    model,
    max_tokens: maxTokens,
    system: system.length === 0 ? null : system,
    messages: messagesOf(form),
    temperature,
    top_p: sampled && temperature === null ? form.topP : null,
    stop_sequences: stop.length === 0 ? null : stop,
    ...toolsOf(form),
    thinking,
    output_config: outputConfigOf(form.outputFormat, effort),
    metadata: form.user === null ? null : { user_id: form.user },
    stream: stream ? true : null,
  });
}

/** An answer that the caller has begun may not end in white space. */
function messagesOf({ turns }: RequestForm): Json[] {
  const messages = withCallIds(turns, CALL_IDS).flatMap((turn) => messageOf(turn));
  const last = messages.at(-1);
  const end = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (end !== undefined && typeof end["text"] === "string") end["text"] = end["text"].trimEnd();
  return messages;
}

type Message = { role: string; content: Json[] };

/**
 * Instructions amid a conversation have no role here; they are said by the user. A turn may not end in thinking, as one that was
 * broken off does; nothing came of that, so that nobody misses it.
 */
function messageOf({ role, blocks }: Turn): Message[] {
  const said = blocks.flatMap((block) => contentOf(block));
  const content = said.slice(
    0,
    said.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking") + 1,
  );
  return content.length === 0 ? [] : [{ role: role === "assistant" ? "assistant" : "user", content }];
}

function contentOf(block: Block): Json[] {
  switch (block.kind) {
    case "text":
      return hasWords(block.text) ? [said({ type: "text", text: block.text, cache_control: block.cacheHint })] : [];
    case "refusal":
      return hasWords(block.text) ? [{ type: "text", text: block.text }] : [];
    case "image":
      return [said({ type: "image", source: sourceOf(sentSource(block)), cache_control: block.cacheHint })];
    case "document":
      return [
        said({
          type: "document",
          source: documentOf(sentSource(block)),
          title: block.name,
          cache_control: block.cacheHint,
        }),
      ];
    case "thinking":
      return thoughtOf(block);
    case "tool_call":
      return [{ type: "tool_use", id: block.id, name: block.name, input: argumentsIn(block.input) }];
    case "tool_result":
      return [
        {
          type: "tool_result",
          tool_use_id: block.callId,
          content: block.blocks.flatMap((inner) => contentOf(inner)),
          ...(block.failed ? { is_error: true } : {}),
        },
      ];
    default:
      return block satisfies never;
  }
}

/** Thinking without its own signature is refused by the provider, so only what it signed goes back to it. */
function thoughtOf({ text, native }: Extract<Block, { kind: "thinking" }>): Json[] {
  if (native?.dialect !== "messages") return [];
  const { signature, redacted } = native.value;
  if (typeof redacted === "string") return [{ type: "redacted_thinking", data: redacted }];
  return typeof signature === "string" ? [{ type: "thinking", thinking: text, signature }] : [];
}

/** This dialect takes letters, digits, `_` and `-`; others put dots and colons in their ids. */
const CALL_IDS: CallIdRules = { refused: /[^\w-]/g };

function sourceOf(source: Source): Json {
  if (source.kind === "url") return { type: "url", url: source.url };
  // Not a registered name, and understood by the others all the same.
  const mediaType = source.mediaType === "image/jpg" ? "image/jpeg" : source.mediaType;
  return { type: "base64", media_type: mediaType, data: source.data };
}

/** Text is told as text here; only what is no text has its bytes told. */
function documentOf(source: Source): Json {
  if (source.kind === "url" || !source.mediaType.startsWith("text/")) return sourceOf(source);
  return { type: "text", media_type: "text/plain", data: Buffer.from(source.data, "base64").toString("utf8") };
}

/** Calls of before are taken only beside tools. Where the caller offers none any more those are named again, and not to be called. */
function toolsOf({ tools, toolChoice, parallelCalls, turns }: RequestForm): Json {
  if (tools.length > 0) {
    const strict = tools.filter((tool) => tool.strict === true).map(({ schema }) => schema);
    return { tools: tools.map((tool) => toolOf(tool, strict)), tool_choice: choiceOf(toolChoice, parallelCalls) };
  }
  const called = turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "tool_call" ? [block.name] : [])),
  );
  if (called.length === 0) return {};
  const named = [...new Set(called)].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
  return { tools: named, tool_choice: { type: "none" } };
}

/** `allStrict`: the schemas of all tools that are to be held to theirs. */
function toolOf({ name, description, schema: given, strict, cacheHint }: ToolForm, allStrict: readonly Json[]): Json {
  const schema = toolSchema(given);
  const held = strict === true && isHoldable(schema, allStrict);
  return said({
    name,
    description,
    input_schema: held ? heldSchema(schema).schema : schema,
    strict: held ? true : null,
    cache_control: cacheHint,
  });
}

function choiceOf(choice: ToolChoice | null, parallelCalls: boolean | null): Json | null {
  if (choice === null && parallelCalls !== false) return null;
  const kind = choice?.kind ?? "auto";
  return {
    type: kind === "required" ? "any" : kind,
    ...(choice?.kind === "tool" ? { name: choice.name } : {}),
    ...(parallelCalls === false && kind !== "none" ? { disable_parallel_tool_use: true } : {}),
  };
}

function outputConfigOf(outputFormat: OutputFormat | null, effort: string | null): Json | null {
  const format =
    outputFormat?.kind === "schema" ? { type: "json_schema", schema: heldSchema(outputFormat.schema).schema } : null;
  return effort === null && format === null ? null : said({ effort, format });
}
