import { isObject } from "../../core/is-object.ts";
import { isBeyondBudgets } from "../messages/thinking.ts";
import { PROBABILITIES } from "../responses/form-to-request.ts";
import { responsesToForm } from "../responses/request-to-form.ts";
import { effortOf } from "../form/build-form.ts";
import type { OpenSeal } from "../form/native.ts";
import { numberOrNull, objectsOf } from "../form/read-json.ts";
import { EFFORTS } from "../form/request-form.ts";
import {
  being,
  BEYOND_BUDGETS,
  type FieldRow,
  FOUND_TOOLS,
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

const row = rowsTo("chat", "messages");

const PARTS = otherThan("input_text", "output_text", "text", "refusal", "input_image", "input_file", "reasoning_text");

type Json = Record<string, unknown>;

const thinks = (body: Json): boolean => asksForThought(body["reasoning"]) && !forcesCall(body);

/** Clients name a member that they have nothing to say of. */
const asksForThought = (reasoning: unknown): boolean =>
  isObject(reasoning) &&
  reasoning["effort"] !== "none" &&
  (effortOf(reasoning["effort"]) !== null || typeof reasoning["summary"] === "string");

/** A model that must call a tool does not think first. */
function forcesCall({ tools, tool_choice: choice }: Json): boolean {
  if (!Array.isArray(tools) || tools.length === 0) return false;
  if (!isObject(choice)) return choice === "required";
  const { type, mode } = choice;
  return type === "function" || type === "custom" || (type === "allowed_tools" && mode === "required");
}

/** What becomes of each field of a responses request at chat and messages providers. */
export const RESPONSES_FIELDS: readonly FieldRow[] = [
  row("model", ["kept", "kept"]),
  row("stream", ["kept", "kept"]),
  row("max_output_tokens", ["translated", "translated"]),
  row("instructions", ["translated", "translated"]),
  row("input", ["translated", "translated"], { note: NO_BLANKS }),
  row("input", ["kept", "lost"], {
    only: { words: "instructions after the first turn", when: hasLateInstructions },
    note: "Said by the user instead.",
  }),
  row("input", ["kept", "lost"], {
    only: { words: IDLE_THOUGHT, when: (value, _, { open }) => hasIdleThought(value, open) },
    note: "The thinking is left out.",
  }),
  row("input.*.type", ["refused", "refused"], {
    only: otherThan(
      "message",
      "reasoning",
      "function_call",
      "function_call_output",
      "custom_tool_call",
      "custom_tool_call_output",
      "tool_search_call",
      "tool_search_output",
      "additional_tools",
    ),
    note: UNKNOWN_CONTENT,
  }),
  row("input.*.execution", ["lost", "lost"], { only: otherThan("client"), note: "The tools it found are kept." }),
  row("input.*.role", ["lost", "lost"], {
    only: otherThan("user", "assistant", "system", "developer"),
    note: "Said by the user instead.",
  }),
  row("input.*.arguments", ["kept", "lost"], { only: NO_JSON_OBJECT }),
  row("input.*.arguments", ["lost", "lost"], { only: NO_TEXT }),
  row("input.*.content.*.type", ["lost", "lost"], {
    only: being("reasoning_text"),
    note: "Thinking goes back by what it was sealed with alone.",
  }),
  ...["content", "output"].flatMap((place) => partRows(`input.*.${place}.*`)),
  row("input.*.output.*.image_url", ["translated", "kept"], { note: "Shown by the user after the results." }),
  row("input.*.content.*.image_url", ["translated", "translated"]),
  row("input.*.content.*.annotations.*", ["lost", "lost"]),
  row("input.*.summary", ["lost", "lost"], {
    only: { words: "without `encrypted_content`", when: isUnsealed },
  }),
  row("input.*.encrypted_content", ["translated", "translated"], { note: "Returned to the provider that gave it." }),
  row("input.*.encrypted_content", ["lost", "lost"], {
    only: {
      words: `of another provider's format, or ${WITHOUT_REASONING}`,
      when: (value, _, { provider, reasoning, open }) => !reasoning || open(value)?.dialect !== provider,
    },
  }),
  row("tools", ["translated", "translated"], {
    note: "Those the caller runs, as functions; a call of one comes back as what it was offered as.",
  }),
  row("tools.*.name", ["translated", "translated"], TOOL_NAME),
  row("tools.*.defer_loading", ["translated", "translated"], { note: FOUND_TOOLS }),
  ...toolRows("tools.*"),
  ...toolRows("input.*.tools.*"),
  row("tool_choice", ["translated", "translated"]),
  row("tool_choice", ["lost", "lost"], { only: wordOtherThan("auto", "none", "required") }),
  row("tool_choice.type", ["lost", "lost"], { only: otherThan("function", "custom", "allowed_tools") }),
  row("parallel_tool_calls", ["kept", "translated"]),
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
  row("text", ["translated", "translated"]),
  row("text.format", ["translated", "translated"]),
  row("text.format.type", ["kept", "lost"], { only: being("json_object") }),
  row("text.format.type", ["lost", "lost"], { only: otherThan("text", "json_object", "json_schema") }),
  row("text.format.schema", ["kept", "lost"], NOT_HELD),
  row("text.format.description", ["kept", "lost"]),
  row("text.verbosity", ["translated", "lost"]),
  row("reasoning", ["translated", "translated"]),
  row("reasoning.effort", ["translated", "translated"], {
    note: "At messages as adaptive thinking, or as a budget for models that know no other; `minimal` is `low`.",
  }),
  row("reasoning.effort", ["translated", "lost"], UNASKED),
  row("reasoning.effort", ["lost", "lost"], { only: otherThan(...EFFORTS) }),
  row("reasoning", ["translated", "lost"], {
    only: {
      words: "beside a call that is forced",
      when: (value, body) => asksForThought(value) && forcesCall(body),
    },
    note: "Told as an effort, without thinking.",
  }),
  row("reasoning", ["translated", "lost"], {
    only: {
      words: BEYOND_BUDGETS,
      when: (_, body, { reasoning, budgeted, open }) =>
        budgeted && reasoning && thinks(body) && isBeyondBudgets(responsesToForm(body, open), limitOf(body)),
    },
  }),
  row("reasoning", ["lost", "lost"], {
    only: {
      words: `other than an effort of \`none\`, ${WITHOUT_REASONING}`,
      when: (value, _, { reasoning }) => !reasoning && asksForThought(value),
    },
  }),
  row("reasoning.summary", ["lost", "translated"], { note: "Thinking is shown wherever the provider shows it." }),
  row("include", ["kept", "kept"]),
  row("include.*", ["lost", "lost"], { only: otherThan("reasoning.encrypted_content", PROBABILITIES) }),
  row("include.*", ["translated", "lost"], { only: being(PROBABILITIES) }),
  row("top_logprobs", ["kept", "lost"], { only: otherThan(0) }),
  row("truncation", ["lost", "lost"], { only: otherThan("disabled") }),
  row("user", ["kept", "translated"]),
  row("user", ["lost", "lost"], {
    only: { words: "beside `safety_identifier`", when: (_, body) => typeof body["safety_identifier"] === "string" },
    note: "One name of the caller's user is sent.",
  }),
  row("safety_identifier", ["translated", "translated"]),
  row("prompt_cache_key", ["kept", "lost"]),
  row("metadata", ["lost", "lost"], { note: "Providers of chat completions take it only of what they are to store." }),
  row("store", ["kept", "kept"], { note: "Always false." }),
  row("service_tier", ["kept", "kept"], { note: "Always the provider's default." }),
  row("background", ["kept", "kept"], { note: "Only `false` is taken." }),
  ...["max_tool_calls", "stream_options", "prompt_cache_retention", "client_metadata"].map((name) =>
    row(name, ["lost", "lost"]),
  ),
];

/** Parts of what somebody said, or of what came of a call. */
function partRows(part: string): FieldRow[] {
  return [
    row(part, ["refused", "refused"], { only: UNTYPED, note: UNKNOWN_CONTENT }),
    row(`${part}.type`, ["refused", "refused"], { only: PARTS, note: UNKNOWN_CONTENT }),
    row(`${part}.detail`, ["kept", "lost"], { only: otherThan("auto") }),
    row(`${part}.file_data`, ["translated", "translated"]),
    row(`${part}.file_url`, ["refused", "translated"], { note: "Providers of that format take a file's bytes alone." }),
  ];
}

/** Tools are named in the request and in items of the conversation, each alone or in a namespace. */
function toolRows(place: string): FieldRow[] {
  const members = `${place}.tools.*`;
  const kinds = ["function", "custom"];
  return [
    row(place, ["lost", "lost"], { only: UNTYPED }),
    row(`${place}.type`, ["lost", "lost"], { only: otherThan(...kinds, "namespace", "tool_search") }),
    row(`${members}.type`, ["lost", "lost"], { only: otherThan(...kinds) }),
    row(place, ["lost", "lost"], { only: { words: "a search that the provider runs", when: isHostedSearch } }),
    ...[place, members].flatMap((tool) => [
      row(`${tool}.name`, ["refused", "refused"], OVERLONG_NAME),
      row(`${tool}.strict`, ["kept", "lost"], notHeld("parameters", strictSchemas)),
      row(`${tool}.format`, ["lost", "lost"], {
        only: { words: "a grammar", when: (format) => isObject(format) && format["type"] === "grammar" },
        note: "Told to the model in words, and not enforced.",
      }),
    ]),
  ];
}

/** Of tools alone and in namespaces, and of those that items have brought. */
function strictSchemas({ tools, input }: Json): unknown[] {
  const listed = [...objectsOf(tools), ...objectsOf(input).flatMap((item) => objectsOf(item["tools"]))];
  return listed
    .flatMap((tool) => [tool, ...objectsOf(tool["tools"])])
    .flatMap(({ strict, parameters }) => (strict === true ? [parameters] : []));
}

const CALLS: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "tool_search_call"]);

const limitOf = ({ max_output_tokens: limit }: Json): number => numberOrNull(limit) ?? Number.POSITIVE_INFINITY;

/** A messages provider refuses a turn that ends in thinking. */
function hasIdleThought(items: unknown, open: OpenSeal): boolean {
  let idle = false;
  for (const { type = "message", role, encrypted_content: encrypted } of objectsOf(items)) {
    if (type === "reasoning") idle ||= open(encrypted)?.dialect === "messages";
    else if (CALLS.has(type) || (type === "message" && role === "assistant")) idle = false;
    else if (idle && type !== "additional_tools") return true;
  }
  return idle;
}

/** What nobody has sealed cannot be given back to whoever thought it. */
function isUnsealed(summary: unknown, { encrypted_content: encrypted }: Json): boolean {
  return Array.isArray(summary) && summary.length > 0 && typeof encrypted !== "string";
}

function isHostedSearch(tool: unknown): boolean {
  return isObject(tool) && tool["type"] === "tool_search" && tool["execution"] !== "client";
}

function hasLateInstructions(items: unknown): boolean {
  if (!Array.isArray(items)) return false;
  const isInstruction = (item: unknown): boolean =>
    isObject(item) && (item["role"] === "system" || item["role"] === "developer");
  const first = items.findIndex((item) => !isInstruction(item));
  return first !== -1 && items.slice(first).some(isInstruction);
}
