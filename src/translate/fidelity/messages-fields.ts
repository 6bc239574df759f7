import { isObject } from "../../core/is-object.ts";
import { MOST_CHAT_STOPS } from "../chat/form-to-request.ts";
import { losesDemandedTool } from "../messages/offered-tools.ts";
import { citationOfSource } from "../form/citation.ts";
import { effortOf } from "../form/build-form.ts";
import { opensNothing } from "../form/native.ts";
import { EFFORTS } from "../form/request-form.ts";
import { isStrictSchema } from "../form/strict-schema.ts";
import {
  being,
  type Condition,
  type FieldRow,
  FOUND_TOOLS,
  otherThan,
  OVERLONG_NAME,
  rowsTo,
  TOOL_NAME,
  UNKNOWN_CONTENT,
  UNTYPED,
  WITHOUT_REASONING,
} from "./field-row.ts";

const row = rowsTo("chat", "responses");

const CACHE_HINTS = [
  "cache_control",
  "system.*.cache_control",
  "messages.*.content.*.cache_control",
  "messages.*.content.*.content.*.cache_control",
  "tools.*.cache_control",
];
const OF_ANOTHER: Condition = {
  words: `of another provider's format, or ${WITHOUT_REASONING}`,
  when: (value, _, { provider, reasoning, open }) => !reasoning || open(value)?.dialect !== provider,
};

const NOT_ENFORCED: Pick<FieldRow, "only" | "note"> = {
  only: {
    words: "with open or optional members, or joined by more than `anyOf`",
    when: (schema) => !isStrictSchema(schema),
  },
  note: "Told, and not enforced.",
};

/** What becomes of each field of a message request at chat and responses providers. */
export const MESSAGES_FIELDS: readonly FieldRow[] = [
  row("model", ["kept", "kept"]),
  row("stream", ["kept", "kept"]),
  row("max_tokens", ["kept", "translated"], { note: "OpenAI's responses take no limit below 16, and are told 16." }),
  row("system", ["translated", "translated"]),
  row("system.*.type", ["refused", "refused"], { only: otherThan("text"), note: UNKNOWN_CONTENT }),
  row("messages", ["translated", "translated"]),
  row("messages.*.role", ["translated", "translated"]),
  row("messages.*.content", ["translated", "translated"]),
  row("messages.*.content.*.type", ["refused", "refused"], {
    only: otherThan("text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"),
    note: UNKNOWN_CONTENT,
  }),
  row("messages.*.content.*.content.*", ["refused", "refused"], { only: UNTYPED, note: UNKNOWN_CONTENT }),
  row("messages.*.content.*.content.*.type", ["refused", "refused"], {
    only: otherThan("text", "image", "document", "tool_reference"),
    note: UNKNOWN_CONTENT,
  }),
  row("messages.*.content.*.caller", ["lost", "lost"], {
    only: { words: "a program", when: (caller) => isObject(caller) && caller["type"] !== "direct" },
  }),
  ...["messages.*.content.*", "messages.*.content.*.content.*"].flatMap((block) => documentRows(block)),
  row("messages.*.content.*.citations", ["lost", "translated"], {
    only: { words: "of addresses", when: (value) => Array.isArray(value) && value.length > 0 },
  }),
  row("messages.*.content.*.caller.type", ["lost", "lost"], { only: otherThan("direct") }),
  row("messages.*.content.*.is_error", ["lost", "lost"], { only: being(true) }),
  row("messages.*.content.*.signature", ["translated", "translated"], {
    note: "Returned to the provider that gave it.",
  }),
  row("messages.*.content.*.signature", ["lost", "lost"], { only: OF_ANOTHER, note: "The thinking is left out." }),
  row("messages.*.content.*.data", ["lost", "lost"], { only: OF_ANOTHER, note: "The thinking is left out." }),
  row("tools", ["translated", "translated"]),
  row("tools.*.type", ["lost", "lost"], { only: otherThan("custom") }),
  row("tools.*.name", ["translated", "translated"], TOOL_NAME),
  row("tools.*.name", ["refused", "refused"], OVERLONG_NAME),
  row("tools.*.strict", ["lost", "lost"], {
    only: {
      words: "with open or optional members, or joined by more than `anyOf`",
      when: (strict, tool) => strict === true && !isStrictSchema(tool["input_schema"]),
    },
    note: "Told, and not enforced.",
  }),
  row("tools.*.defer_loading", ["translated", "translated"], { note: FOUND_TOOLS }),
  ...["allowed_callers", "input_examples", "eager_input_streaming"].map((name) =>
    row(`tools.*.${name}`, ["lost", "lost"], { only: otherThan(false) }),
  ),
  row("tool_choice", ["translated", "translated"]),
  row("tool_choice", ["lost", "lost"], {
    only: { words: "of a tool that is lost", when: (_, body) => losesDemandedTool(body) },
    note: "The model chooses; `any` is any of the tools that are left.",
  }),
  row("tool_choice.type", ["lost", "lost"], { only: otherThan("auto", "any", "tool", "none") }),
  row("temperature", ["kept", "kept"]),
  row("top_p", ["kept", "kept"]),
  row("top_k", ["lost", "lost"]),
  row("stop_sequences", ["translated", "lost"], { note: "Which of them was met is not told." }),
  row("stop_sequences", ["lost", "lost"], {
    only: { words: "more than four", when: (value) => Array.isArray(value) && value.length > MOST_CHAT_STOPS },
    note: "The first four are sent.",
  }),
  row("thinking", ["translated", "translated"], {
    note: "As an effort; budgets from 4,096 are `medium`, from 16,384 `high`.",
  }),
  row("thinking.type", ["lost", "lost"], { only: otherThan("enabled", "adaptive", "disabled") }),
  row("thinking", ["lost", "lost"], {
    only: {
      words: `enabled or adaptive, ${WITHOUT_REASONING}`,
      when: (value, _, { reasoning }) => !reasoning && isObject(value) && value["type"] !== "disabled",
    },
  }),
  row("thinking", ["lost", "lost"], {
    only: {
      words: "disabled, to a model that reasons",
      when: (value, _, { reasoning }) => reasoning && isObject(value) && value["type"] === "disabled",
    },
    note: "The least that can be asked for has another word with every model, and each refuses those of others.",
  }),
  row("thinking", ["lost", "translated"], {
    only: { words: "adaptive, without an effort", when: (value, body) => isAdaptive(value) && !hasEffort(body) },
  }),
  row("output_config", ["translated", "translated"]),
  row("output_config.effort", ["translated", "translated"]),
  row("output_config.effort", ["lost", "lost"], { only: otherThan(...EFFORTS) }),
  row("output_config.effort", ["lost", "lost"], {
    only: { words: WITHOUT_REASONING, when: (_, __, { reasoning }) => !reasoning },
  }),
  row("output_config.format", ["translated", "translated"]),
  row("output_config.format.type", ["lost", "lost"], { only: otherThan("json_schema") }),
  row("output_config.format.schema", ["lost", "lost"], NOT_ENFORCED),
  row("metadata", ["translated", "translated"], { note: "The user, hidden from the provider." }),
  row("service_tier", ["kept", "kept"], { note: "Always the provider's default." }),
  row("context_management", ["lost", "lost"]),
  row("output_format", ["translated", "translated"], { note: "The older name of `output_config.format`." }),
  row("output_format", ["lost", "lost"], {
    only: {
      words: "beside `output_config.format`",
      when: (_, { output_config: output }) => isObject(output) && isObject(output["format"]),
    },
  }),
  row("output_format.type", ["lost", "lost"], { only: otherThan("json_schema") }),
  row("output_format.schema", ["lost", "lost"], NOT_ENFORCED),
  ...CACHE_HINTS.map((path) => row(path, ["lost", "lost"])),
];

/** Documents and what else a turn, or a tool's result, is made of. */
function documentRows(block: string): FieldRow[] {
  return [
    row(`${block}.source`, ["translated", "translated"]),
    row(block, ["refused", "translated"], {
      only: { words: "a document at an address", when: isLinkedDocument },
      note: "Providers of that format take a file's bytes alone.",
    }),
    row(`${block}.title`, ["translated", "translated"]),
    row(`${block}.title`, ["translated", "lost"], {
      only: { words: "of a document at an address", when: (_, owner) => isLinkedDocument(owner) },
    }),
    row(`${block}.context`, ["lost", "lost"]),
    row(`${block}.citations`, ["lost", "lost"], {
      only: { words: "enabled, or of places in documents", when: hasOwnCitations },
    }),
  ];
}

const isAdaptive = (thinking: unknown): boolean => isObject(thinking) && thinking["type"] === "adaptive";

const hasEffort = ({ output_config: output }: Record<string, unknown>): boolean =>
  isObject(output) && effortOf(output["effort"]) !== null;

function isLinkedDocument(block: unknown): boolean {
  return (
    isObject(block) && block["type"] === "document" && isObject(block["source"]) && block["source"]["type"] === "url"
  );
}

function hasOwnCitations(value: unknown): boolean {
  if (isObject(value)) return value["enabled"] === true;
  return Array.isArray(value) && value.some((citation) => citationOfSource(citation, opensNothing) === null);
}
