import { isObject } from "../../../core/bytes/is-object.ts";
import { MESSAGES_SEARCH } from "../../../wire/members/search-types.ts";
import { citationOfSource } from "../../form/citation.ts";
import { opensNothing } from "../../form/native.ts";
import { EFFORTS } from "../../form/request-form.ts";
import { losesDemandedTool } from "../../messages/offered-tools.ts";
import { otherThan, OVERLONG_NAME, providerRun, SITES, UNTYPED, WITHOUT_REASONING } from "../conditions.ts";
import { type ClientFields, type Exception, lost, refused } from "../field-row.ts";
import { UNKNOWN_CONTENT } from "../notes.ts";

const OF_ANOTHER: Exception = lost(
  {
    words: `of another provider's format, or ${WITHOUT_REASONING}`,
    when: (value, _, { provider, reasoning, open }) => !reasoning || open(value)?.dialect !== provider,
  },
  "The reasoning is dropped.",
);
const OWN_CITATIONS: Exception = lost({ words: "enabled, or of places in documents", when: hasOwnCitations });

const UNKNOWN_TOOL: Exception = lost({
  words: "other than `custom` or a web search",
  when: (type) => type !== "custom" && !(typeof type === "string" && MESSAGES_SEARCH.test(type)),
});

/** The fields of a message request. */
export const MESSAGES_FIELDS = {
  model: "carried",
  stream: "carried",
  max_tokens: "carried",
  system: "carried",
  "system.*.type": [refused(otherThan("text"), UNKNOWN_CONTENT)],
  messages: "carried",
  "messages.*.role": "carried",
  "messages.*.content": "carried",
  "messages.*.content.*.type": [
    refused(
      otherThan("text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"),
      UNKNOWN_CONTENT,
    ),
  ],
  "messages.*.content.*.content.*.type": [
    refused(otherThan("text", "image", "document", "tool_reference"), UNKNOWN_CONTENT),
  ],
  "messages.*.content.*.caller": [
    lost({ words: "a program", when: (caller) => isObject(caller) && caller["type"] !== "direct" }),
  ],
  "messages.*.content.*.source": "carried",
  "messages.*.content.*": "carried",
  "messages.*.content.*.title": "carried",
  "messages.*.content.*.context": "lost",
  "messages.*.content.*.citations": ["carried", OWN_CITATIONS],
  "messages.*.content.*.content.*.source": "carried",
  "messages.*.content.*.content.*": ["carried", refused(UNTYPED, UNKNOWN_CONTENT)],
  "messages.*.content.*.content.*.title": "carried",
  "messages.*.content.*.content.*.context": "lost",
  "messages.*.content.*.content.*.citations": [OWN_CITATIONS],
  "messages.*.content.*.caller.type": [lost(otherThan("direct"))],
  "messages.*.content.*.is_error": "carried",
  "messages.*.content.*.signature": ["carried", OF_ANOTHER],
  "messages.*.content.*.data": [OF_ANOTHER],
  tools: "carried",
  "tools.*.type": [UNKNOWN_TOOL, ...providerRun(MESSAGES_SEARCH)],
  "tools.*.allowed_domains": [SITES],
  "tools.*.blocked_domains": [SITES],
  "tools.*.name": ["carried", OVERLONG_NAME],
  "tools.*.strict": "carried",
  "tools.*.defer_loading": "carried",
  "tools.*.allowed_callers": [lost(otherThan(false))],
  "tools.*.input_examples": [lost(otherThan(false))],
  "tools.*.eager_input_streaming": [lost(otherThan(false))],
  tool_choice: [
    "carried",
    lost(
      { words: "of a tool that is dropped", when: (_, body) => losesDemandedTool(body) },
      "The model chooses; `any` means any of the remaining tools.",
    ),
  ],
  "tool_choice.type": [lost(otherThan("auto", "any", "tool", "none"))],
  temperature: "carried",
  top_p: "carried",
  top_k: "lost",
  stop_sequences: "carried",
  thinking: [
    "carried",
    lost({
      words: `enabled or adaptive, ${WITHOUT_REASONING}`,
      when: (value, _, { reasoning }) => !reasoning && isObject(value) && value["type"] !== "disabled",
    }),
  ],
  "thinking.type": [lost(otherThan("enabled", "adaptive", "disabled"))],
  output_config: "carried",
  "output_config.effort": [
    "carried",
    lost(otherThan(...EFFORTS)),
    lost({ words: WITHOUT_REASONING, when: (_, __, { reasoning }) => !reasoning }),
  ],
  "output_config.format": "carried",
  "output_config.format.type": [lost(otherThan("json_schema"))],
  "output_config.format.schema": "carried",
  metadata: "carried",
  service_tier: "carried",
  context_management: "lost",
  output_format: [
    "carried",
    lost({
      words: "together with `output_config.format`",
      when: (_, { output_config: output }) => isObject(output) && isObject(output["format"]),
    }),
  ],
  "output_format.type": [lost(otherThan("json_schema"))],
  "output_format.schema": "carried",
  cache_control: "lost",
  "system.*.cache_control": "carried",
  "messages.*.content.*.cache_control": "carried",
  "messages.*.content.*.content.*.cache_control": "carried",
  "tools.*.cache_control": "carried",
} as const satisfies ClientFields;

function hasOwnCitations(value: unknown): boolean {
  if (isObject(value)) return value["enabled"] === true;
  return Array.isArray(value) && value.some((citation) => citationOfSource(citation, opensNothing) === null);
}
