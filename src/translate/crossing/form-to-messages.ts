import { isObject } from "../../core/is-object.ts";
import { DEFAULT_MAX_TOKENS } from "../../wire/messages/messages-request.ts";
import { type Json, said } from "../form/read-json.ts";
import type { Block, Effort, RequestForm, Source, ToolChoice, ToolForm, Turn } from "../form/request-form.ts";
import type { ProviderTold } from "../form/sides.ts";

/** This dialect's range of temperature ends where others' middle is. */
const MOST_TEMPERATURE = 1;

export function formToMessages(form: RequestForm, { model, stream, maxOutputTokens }: ProviderTold): Json {
  const thinks = form.thinking !== null && form.thinking.effort !== "none";
  // A model that thinks takes no sampling at all, and current models take one of the two.
  const temperature = thinks || form.temperature === null ? null : Math.min(form.temperature, MOST_TEMPERATURE);
  return said({
    model,
    max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    system: form.system.length === 0 ? null : form.system.flatMap((block) => contentOf(block)),
    messages: form.turns.flatMap((turn) => messageOf(turn)),
    temperature,
    top_p: thinks || temperature !== null ? null : form.topP,
    stop_sequences: form.stop.length === 0 ? null : form.stop,
    tools: form.tools.length === 0 ? null : form.tools.map((tool) => toolOf(tool)),
    tool_choice: form.tools.length === 0 ? null : choiceOf(form.toolChoice, form.parallelCalls),
    thinking: thinks ? { type: "adaptive" } : null,
    output_config: outputConfigOf(form),
    metadata: form.user === null ? null : { user_id: form.user },
    stream: stream ? true : null,
  });
}

/** Instructions amid a conversation have no role here; they are said by the user. */
function messageOf({ role, blocks }: Turn): Json[] {
  const content = blocks.flatMap((block) => contentOf(block));
  return content.length === 0 ? [] : [{ role: role === "assistant" ? "assistant" : "user", content }];
}

function contentOf(block: Block): Json[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [said({ type: "text", text: block.text, cache_control: block.cacheHint })];
    case "refusal":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "image":
      return [said({ type: "image", source: sourceOf(block.source), cache_control: block.cacheHint })];
    case "document":
      return [
        said({ type: "document", source: sourceOf(block.source), title: block.name, cache_control: block.cacheHint }),
      ];
    case "thinking":
      return thoughtOf(block);
    case "tool_call":
      return [{ type: "tool_use", id: callIdOf(block.id), name: block.name, input: inputOf(block.input) }];
    case "tool_result":
      return [
        {
          type: "tool_result",
          tool_use_id: callIdOf(block.callId),
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
const callIdOf = (id: string): string => id.replaceAll(/[^\w-]/g, "_");

/** A model may have written arguments that are no JSON; the call is then shown without them. */
function inputOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function sourceOf(source: Source): Json {
  if (source.kind === "url") return { type: "url", url: source.url };
  return { type: "base64", media_type: source.mediaType, data: source.data };
}

const toolOf = ({ name, description, schema, strict, cacheHint }: ToolForm): Json =>
  said({ name, description, input_schema: schema, strict: strict === true ? true : null, cache_control: cacheHint });

function choiceOf(choice: ToolChoice | null, parallelCalls: boolean | null): Json | null {
  if (choice === null && parallelCalls !== false) return null;
  const kind = choice?.kind ?? "auto";
  return {
    type: kind === "required" ? "any" : kind,
    ...(choice?.kind === "tool" ? { name: choice.name } : {}),
    ...(parallelCalls === false && kind !== "none" ? { disable_parallel_tool_use: true } : {}),
  };
}

const EFFORTS: Record<Effort, string | null> = {
  none: null,
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

function outputConfigOf({ thinking, outputFormat }: RequestForm): Json | null {
  const effort = thinking?.effort ? EFFORTS[thinking.effort] : null;
  const format = outputFormat?.kind === "schema" ? { type: "json_schema", schema: outputFormat.schema } : null;
  return effort === null && format === null ? null : said({ effort, format });
}
