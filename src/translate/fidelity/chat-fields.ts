import { isObject } from "../../core/is-object.ts";
import { chatToForm } from "../chat/request-to-form.ts";
import { openPlaced } from "../chat/thought-place.ts";
import { hasWords } from "../messages/form-to-request.ts";
import { isBeyondBudgets } from "../messages/thinking.ts";
import { effortOf } from "../form/build-form.ts";
import type { OpenSeal } from "../form/native.ts";
import { numberOrNull, objectOf, objectsOf } from "../form/read-json.ts";
import { EFFORTS } from "../form/request-form.ts";
import {
  being,
  BEYOND_BUDGETS,
  type FieldRow,
  IDLE_THOUGHT,
  NO_BLANKS,
  NO_JSON_OBJECT,
  NO_TEXT,
  NOT_HELD,
  notHeld,
  otherThan,
  OVERLONG_NAME,
  rowsTo,
  TOOL_NAME,
  UNASKED,
  UNKNOWN_CONTENT,
  UNTYPED,
  WITHOUT_REASONING,
  WITHOUT_SAMPLING,
  wordOtherThan,
} from "./field-row.ts";

const row = rowsTo("responses", "messages");

const ONE_ANSWER = "Providers of that format give one answer at a time.";

type Json = Record<string, unknown>;

/** What a provider of messages thinks with; it then takes no sampling. */
const thinks = (body: Json): boolean =>
  body["reasoning_effort"] !== "none" && effortOf(body["reasoning_effort"]) !== null && !forcesCall(body);

/** A model that must call a tool does not think first. */
function forcesCall({ tools, tool_choice: choice }: Json): boolean {
  if (!isFilledList(tools)) return false;
  if (!isObject(choice)) return choice === "required";
  const { type, allowed_tools: allowed } = choice;
  return type === "function" || (type === "allowed_tools" && isObject(allowed) && allowed["mode"] === "required");
}

/** What becomes of each field of a chat completion request at responses and messages providers. */
export const CHAT_FIELDS: readonly FieldRow[] = [
  row("model", ["kept", "kept"]),
  row("stream", ["kept", "kept"]),
  row("stream_options", ["kept", "kept"]),
  row("max_tokens", ["translated", "kept"], { note: "OpenAI's responses take no limit below 16, and are told 16." }),
  row("max_completion_tokens", ["translated", "translated"]),
  row("messages", ["translated", "translated"], { note: "Leading instructions go where the format has them." }),
  row("messages", ["kept", "lost"], {
    only: { words: "instructions after the first turn", when: hasLateInstructions },
    note: "Said by the user instead.",
  }),
  row("messages", ["kept", "lost"], {
    only: { words: IDLE_THOUGHT, when: (value, _, { open }) => hasIdleThought(value, open) },
    note: "The thinking is left out.",
  }),
  row("messages.*.role", ["translated", "translated"]),
  row("messages.*.content", ["translated", "translated"], { note: NO_BLANKS }),
  row("messages.*.content.*", ["refused", "refused"], { only: UNTYPED, note: UNKNOWN_CONTENT }),
  row("messages.*.content.*.type", ["refused", "refused"], {
    only: otherThan("text", "image_url", "file", "refusal"),
    note: UNKNOWN_CONTENT,
  }),
  row("messages.*.content.*.text", ["translated", "kept"]),
  row("messages.*.content.*.refusal", ["kept", "translated"]),
  row("messages.*.content.*.image_url", ["translated", "translated"]),
  row("messages.*.content.*.image_url.detail", ["kept", "lost"], { only: otherThan("auto") }),
  row("messages.*.content.*.file", ["translated", "translated"]),
  row("messages.*.content.*.cache_control", ["lost", "kept"]),
  row("messages.*.tool_call_id", ["kept", "kept"]),
  row("messages.*.tool_calls", ["translated", "translated"]),
  row("messages.*.tool_calls.*.type", ["refused", "refused"], { only: otherThan("function"), note: UNKNOWN_CONTENT }),
  row("messages.*.tool_calls.*.function.arguments", ["kept", "lost"], { only: NO_JSON_OBJECT }),
  row("messages.*.tool_calls.*.function.arguments", ["lost", "lost"], { only: NO_TEXT }),
  row("messages.*.refusal", ["kept", "translated"]),
  row("messages.*.annotations", ["translated", "lost"], { only: { words: "not empty", when: isFilledList } }),
  row("messages.*.annotations.*.type", ["lost", "lost"], { only: otherThan("url_citation") }),
  row("messages.*.reasoning_content", ["lost", "lost"], {
    only: { words: "without `reasoning_details`", when: isUnsealed },
  }),
  row("messages.*.reasoning", ["lost", "lost"], { only: { words: "without `reasoning_details`", when: isUnsealed } }),
  row("messages.*.reasoning_details", ["translated", "translated"], { note: "Returned to the provider that gave it." }),
  row("messages.*.reasoning_details.*", ["lost", "lost"], {
    only: {
      words: `of another provider's format, or ${WITHOUT_REASONING}`,
      when: (value, _, { provider, reasoning, open }) =>
        !reasoning || !isObject(value) || open(value["signature"] ?? value["data"])?.dialect !== provider,
    },
  }),
  row("messages.*.name", ["lost", "lost"]),
  row("temperature", ["kept", "kept"]),
  row("temperature", ["kept", "lost"], {
    only: {
      words: "above 1, or with reasoning",
      when: (value, body, { reasoning }) => (typeof value === "number" && value > 1) || (reasoning && thinks(body)),
    },
    note: "Taken as 1; a model that thinks takes none.",
  }),
  row("temperature", ["kept", "lost"], WITHOUT_SAMPLING),
  row("top_p", ["kept", "kept"]),
  row("top_p", ["kept", "lost"], WITHOUT_SAMPLING),
  row("top_p", ["kept", "lost"], {
    only: {
      words: "beside `temperature`, or with reasoning",
      when: (_, body, { reasoning }) => typeof body["temperature"] === "number" || (reasoning && thinks(body)),
    },
  }),
  row("n", ["refused", "refused"], { only: otherThan(1), note: ONE_ANSWER }),
  row("stop", ["lost", "kept"]),
  row("stop", ["lost", "lost"], {
    only: {
      words: "white space alone",
      when: (value) => ![value].flat().every((stop) => hasWords(String(stop))),
    },
  }),
  row("tools", ["translated", "translated"]),
  row("tools.*", ["lost", "lost"], { only: UNTYPED }),
  row("tools.*.type", ["lost", "lost"], { only: otherThan("function") }),
  row("tools.*.function", ["translated", "translated"]),
  row("tools.*.function.name", ["translated", "translated"], TOOL_NAME),
  row("tools.*.function.name", ["refused", "refused"], OVERLONG_NAME),
  row("tools.*.function.strict", ["kept", "lost"], notHeld("parameters", strictSchemas)),
  row("tools.*.cache_control", ["lost", "kept"]),
  row("tool_choice", ["translated", "translated"], { note: "Of `allowed_tools` no other tool is offered." }),
  row("tool_choice", ["lost", "lost"], { only: wordOtherThan("auto", "none", "required") }),
  row("tool_choice.type", ["lost", "lost"], { only: otherThan("function", "allowed_tools") }),
  row("parallel_tool_calls", ["kept", "translated"]),
  row("response_format", ["translated", "translated"]),
  row("response_format.type", ["kept", "lost"], { only: being("json_object") }),
  row("response_format.type", ["lost", "lost"], { only: otherThan("text", "json_object", "json_schema") }),
  row("response_format.json_schema.schema", ["kept", "lost"], NOT_HELD),
  row("response_format.json_schema.description", ["kept", "lost"]),
  row("reasoning_effort", ["kept", "translated"], {
    note: "As adaptive thinking, or as a budget for models that know no other; `minimal` is `low`.",
  }),
  row("reasoning_effort", ["kept", "lost"], UNASKED),
  row("reasoning_effort", ["lost", "lost"], { only: otherThan(...EFFORTS) }),
  row("reasoning_effort", ["kept", "lost"], {
    only: { words: "beside a call that is forced", when: (value, body) => value !== "none" && forcesCall(body) },
    note: "Told as an effort, without thinking.",
  }),
  row("reasoning_effort", ["kept", "lost"], {
    only: {
      words: BEYOND_BUDGETS,
      when: (_, body, { reasoning, budgeted, open }) =>
        budgeted && reasoning && thinks(body) && isBeyondBudgets(chatToForm(body, open), limitOf(body)),
    },
  }),
  row("reasoning_effort", ["lost", "lost"], {
    only: {
      words: `other than \`none\`, ${WITHOUT_REASONING}`,
      when: (value, _, { reasoning }) => !reasoning && value !== "none",
    },
  }),
  row("verbosity", ["translated", "lost"]),
  row("user", ["translated", "translated"]),
  row("user", ["lost", "lost"], {
    only: { words: "beside `safety_identifier`", when: (_, body) => typeof body["safety_identifier"] === "string" },
    note: "One name of the caller's user is sent.",
  }),
  row("safety_identifier", ["kept", "translated"]),
  row("prompt_cache_key", ["kept", "lost"]),
  row("metadata", ["kept", "lost"]),
  row("store", ["kept", "kept"], { note: "Always false." }),
  row("service_tier", ["kept", "kept"], { note: "Always the provider's default." }),
  row("logprobs", ["translated", "lost"], { only: otherThan(false) }),
  row("top_logprobs", ["kept", "lost"]),
  row("frequency_penalty", ["lost", "lost"], { only: otherThan(0) }),
  row("presence_penalty", ["lost", "lost"], { only: otherThan(0) }),
  row("modalities.*", ["lost", "lost"], { only: otherThan("text") }),
  ...["seed", "logit_bias", "prediction", "functions", "function_call", "prompt_cache_retention"].map((name) =>
    row(name, ["lost", "lost"]),
  ),
];

function hasLateInstructions(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false;
  const isInstruction = (message: unknown): boolean =>
    isObject(message) && (message["role"] === "system" || message["role"] === "developer");
  const first = messages.findIndex((message) => !isInstruction(message));
  return first !== -1 && messages.slice(first).some(isInstruction);
}

function strictSchemas({ tools }: Json): unknown[] {
  return objectsOf(tools)
    .map((tool) => objectOf(tool["function"]))
    .flatMap(({ strict, parameters }) => (strict === true ? [parameters] : []));
}

const limitOf = ({ max_tokens: limit, max_completion_tokens: same }: Json): number =>
  numberOrNull(limit) ?? numberOrNull(same) ?? Number.POSITIVE_INFINITY;

/** A messages provider refuses a turn that ends in thinking. */
function hasIdleThought(messages: unknown, open: OpenSeal): boolean {
  let idle = false;
  for (const message of objectsOf(messages)) {
    const { role, content, refusal, tool_calls: calls, reasoning_details: details } = message;
    if (role !== "assistant" && idle) return true;
    if (role !== "assistant") continue;
    const said = [content, refusal].some((text) => (typeof text === "string" ? hasWords(text) : isFilledList(text)));
    const made = objectsOf(calls).length;
    const ends = objectsOf(details).some(({ signature, data }) => {
      const { block, place } = openPlaced(signature ?? data, "", open) ?? {};
      const followed = place !== undefined && (place.calls < made || (said && !place.spoken && place.calls === 0));
      return block?.native?.dialect === "messages" && !followed;
    });
    idle = ends || (idle && !said && made === 0);
  }
  return idle;
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isUnsealed(value: unknown, message: Record<string, unknown>): boolean {
  return value !== "" && !Array.isArray(message["reasoning_details"]);
}
