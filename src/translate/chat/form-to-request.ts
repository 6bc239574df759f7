import { plainText, sentSource, urlOf } from "../form/build-form.ts";
import { type CallIdRules, NINE_CHARACTERS, withCallIds } from "../form/tools/call-ids.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectsOf, said } from "../form/read-json.ts";
import type { Block, OutputFormat, RequestForm, ToolChoice, ToolForm, Turn } from "../form/request-form.ts";
import type { ProviderTold } from "../form/sides.ts";
import { toolSchema } from "../form/tools/tool-schema.ts";

/** The most sequences a provider of this dialect takes. */
export const MOST_CHAT_STOPS = 4;
/** OpenAI refuses longer ones, and others make some of 46. */
const CALL_IDS: CallIdRules = { most: 40 };

export function formToChat(form: RequestForm, { model, stream, maxOutputTokens, quirks }: ProviderTold): Json {
  const { system } = form;
  const idRules = quirks?.chat?.callIds === "nine" ? NINE_CHARACTERS : CALL_IDS;
  return said({
    model,
    messages: [
      ...(system.length === 0 ? [] : [{ role: "system", content: plainText(system, "\n\n") }]),
      ...withCallIds(form.turns, idRules).flatMap((turn) => messagesOf(turn)),
    ],
    [quirks?.chat?.outputLimitField ?? "max_tokens"]: maxOutputTokens,
    temperature: form.temperature,
    top_p: form.topP,
    stop: form.stop.length === 0 ? null : form.stop.slice(0, MOST_CHAT_STOPS),
    tools: form.tools.length === 0 ? null : form.tools.map((tool) => toolOf(tool)),
    tool_choice: form.tools.length === 0 ? null : choiceOf(form.toolChoice),
    parallel_tool_calls: form.tools.length === 0 ? null : form.parallelCalls,
    response_format: formatOf(form.outputFormat),
    verbosity: form.verbosity,
    reasoning_effort: form.thinking?.effort ?? null,
    user: form.user,
    prompt_cache_key: form.promptCacheKey,
    logprobs: form.probabilities === null ? null : true,
    top_logprobs: form.probabilities?.alternatives,
    stream: stream ? true : null,
    stream_options: stream && quirks?.chat?.streamOptions !== "refused" ? { include_usage: true } : null,
  });
}

function messagesOf({ role, blocks }: Turn): Json[] {
  switch (role) {
    case "system":
      return [{ role: "system", content: plainText(blocks, "\n\n") }];
    case "assistant":
      return assistantOf(blocks);
    case "user": {
      const results = blocks.filter((block) => block.kind === "tool_result");
      // This dialect has no place for a picture in a result, so it follows the results as if the user had shown it.
      const pictures = results.flatMap((result) => result.blocks.filter(({ kind }) => kind !== "text"));
      const rest = [...pictures, ...blocks.filter(({ kind }) => kind !== "tool_result")];
      return [
        ...results.map((result) => ({
          role: "tool",
          tool_call_id: result.callId,
          content: plainText(result.blocks, "\n"),
        })),
        ...(rest.length === 0 ? [] : [{ role: "user", content: contentOf(rest) }]),
      ];
    }
    default:
      return role satisfies never;
  }
}

function assistantOf(blocks: readonly Block[]): Json[] {
  const text = plainText(blocks);
  const calls = blocks.flatMap((block) =>
    block.kind === "tool_call"
      ? [{ id: block.id, type: "function", function: { name: block.name, arguments: block.input || "{}" } }]
      : [],
  );
  const thought = thoughtOf(blocks);
  if (text === "" && calls.length === 0 && Object.keys(thought).length === 0) return [];
  return [
    {
      role: "assistant",
      // Beside calls there may be no content; a turn of thoughts alone must have some, and it is empty.
      content: text === "" && calls.length > 0 ? null : text,
      ...thought,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

/** Thinking goes back only to the dialect it came from, under the name it had there. */
function thoughtOf(blocks: readonly Block[]): Json {
  const thought: Json = {};
  const given: Json[] = [];
  for (const block of blocks) {
    if (block.kind !== "thinking" || block.native?.dialect !== "chat") continue;
    const { field, details } = block.native.value;
    const name = field === "reasoning" ? "reasoning" : "reasoning_content";
    if (block.text !== "") thought[name] = `${typeof thought[name] === "string" ? thought[name] : ""}${block.text}`;
    for (const detail of objectsOf(details)) given.push(detailOf(detail));
  }
  return given.length === 0 ? thought : { ...thought, reasoning_details: given };
}

/** What providers are known to say of a thought, each as a plain value; nothing else is brought back to them. */
const DETAIL_MEMBERS = ["type", "id", "format", "index", "text", "summary", "data", "signature"] as const;

function detailOf(detail: Json): Json {
  const plain = DETAIL_MEMBERS.filter((name) => ["string", "number"].includes(typeof detail[name]));
  return Object.fromEntries(plain.map((name) => [name, detail[name]]));
}

function contentOf(blocks: readonly Block[]): string | Json[] {
  if (blocks.every(({ kind }) => kind === "text") && blocks.length === 1) return plainText(blocks);
  return blocks.flatMap((block): Json[] => {
    switch (block.kind) {
      case "text":
        return [{ type: "text", text: block.text }];
      case "image":
        return [{ type: "image_url", image_url: said({ url: urlOf(sentSource(block)), detail: block.detail }) }];
      case "document":
        return [
          { type: "file", file: { filename: block.name ?? "document.pdf", file_data: urlOf(sentSource(block)) } },
        ];
      case "refusal":
      case "thinking":
      case "tool_call":
      case "tool_result":
        return [];
      default:
        return block satisfies never;
    }
  });
}

const toolOf = ({ name, description, schema, strict }: ToolForm): Json => ({
  type: "function",
  function: said({ name, description, parameters: toolSchema(schema), strict }),
});

function choiceOf(choice: ToolChoice | null): unknown {
  return choice?.kind === "tool" ? { type: "function", function: { name: choice.name } } : (choice?.kind ?? null);
}

function formatOf(format: OutputFormat | null): Json | null {
  if (format === null) return null;
  if (format.kind === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return { type: "json_schema", json_schema: said({ name, description, schema, strict }) };
}
