import { isObject } from "../../../core/bytes/is-object.ts";
import { RESPONSES_SEARCH } from "../../../wire/members/search-types.ts";
import { EFFORTS } from "../../form/request-form.ts";
import { PROBABILITIES } from "../../responses/form-to-request.ts";
import {
  being,
  BESIDE_IDENTIFIER,
  NO_TEXT,
  otherThan,
  OVERLONG_NAME,
  providerRun,
  SITES,
  UNTYPED,
  WITHOUT_REASONING,
  wordOtherThan,
} from "../conditions.ts";
import { type ClientFields, type Exception, lost, refused } from "../field-row.ts";
import { ONE_USER, SAID_BY_USER, UNKNOWN_CONTENT } from "../notes.ts";
import { asksForThought } from "./conditions.ts";

const UNKNOWN_PART: Exception = refused(
  otherThan("input_text", "output_text", "text", "refusal", "input_image", "input_file", "reasoning_text"),
  UNKNOWN_CONTENT,
);
const UNTYPED_PART: Exception = refused(UNTYPED, UNKNOWN_CONTENT);

const UNKNOWN_TOOL: Exception = lost(otherThan("function", "custom", "namespace", "tool_search"));
/** The same of tools of the request, which may be searches. */
const LISTED_UNKNOWN: Exception = lost({
  words: `${UNKNOWN_TOOL.only.words} or a web search`,
  when: (type, ...where) =>
    UNKNOWN_TOOL.only.when(type, ...where) && !(typeof type === "string" && RESPONSES_SEARCH.test(type)),
});
/** Of a namespace. */
const UNKNOWN_MEMBER: Exception = lost(otherThan("function", "custom"));
const HOSTED_SEARCH: Exception = lost({
  words: "a search run by the provider",
  when: (tool) => isObject(tool) && tool["type"] === "tool_search" && tool["execution"] !== "client",
});
const GRAMMAR: Exception = lost(
  { words: "a grammar", when: (format) => isObject(format) && format["type"] === "grammar" },
  "Sent as a description, not enforced.",
);

/** The fields of a responses request. Tools are named in it and in items of the conversation, each alone or in a namespace. */
export const RESPONSES_FIELDS = {
  model: "carried",
  stream: "carried",
  max_output_tokens: "carried",
  instructions: "carried",
  input: "carried",
  "input.*.type": [
    refused(
      otherThan(
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
      UNKNOWN_CONTENT,
    ),
  ],
  "input.*.execution": [lost(otherThan("client"), "The tools it found are kept.")],
  "input.*.role": [lost(otherThan("user", "assistant", "system", "developer"), SAID_BY_USER)],
  "input.*.arguments": ["carried", lost(NO_TEXT)],
  "input.*.content.*": [UNTYPED_PART],
  "input.*.content.*.type": [
    lost(being("reasoning_text"), "Reasoning is returned only through its sealed field."),
    UNKNOWN_PART,
  ],
  "input.*.content.*.detail": "carried",
  "input.*.content.*.file_data": "carried",
  "input.*.content.*.file_url": "carried",
  "input.*.output.*": [UNTYPED_PART],
  "input.*.output.*.type": [UNKNOWN_PART],
  "input.*.output.*.detail": "carried",
  "input.*.output.*.file_data": "carried",
  "input.*.output.*.file_url": "carried",
  "input.*.output.*.image_url": "carried",
  "input.*.content.*.image_url": "carried",
  "input.*.content.*.annotations.*": "lost",
  "input.*.summary": [
    // What nobody has sealed cannot be given back to whoever thought it.
    lost({
      words: "without `encrypted_content`",
      when: (summary, { encrypted_content: encrypted }) =>
        Array.isArray(summary) && summary.length > 0 && typeof encrypted !== "string",
    }),
  ],
  "input.*.encrypted_content": [
    "carried",
    lost({
      words: `of another provider's format, or ${WITHOUT_REASONING}`,
      when: (value, _, { provider, reasoning, open }) => !reasoning || open(value)?.dialect !== provider,
    }),
  ],
  "input.*.tools": "carried",
  tools: "carried",
  "tools.*.name": ["carried", OVERLONG_NAME],
  "tools.*.defer_loading": "carried",
  "tools.*.type": [LISTED_UNKNOWN, ...providerRun(RESPONSES_SEARCH)],
  "tools.*.filters": [SITES],
  "tools.*.tools.*.type": [UNKNOWN_MEMBER],
  "tools.*": [lost(UNTYPED), HOSTED_SEARCH],
  "tools.*.strict": "carried",
  "tools.*.format": [GRAMMAR],
  "tools.*.tools.*.name": [OVERLONG_NAME],
  "tools.*.tools.*.strict": "carried",
  "tools.*.tools.*.format": [GRAMMAR],
  "input.*.tools.*.type": [UNKNOWN_TOOL],
  "input.*.tools.*.tools.*.type": [UNKNOWN_MEMBER],
  "input.*.tools.*": [lost(UNTYPED), HOSTED_SEARCH],
  "input.*.tools.*.name": [OVERLONG_NAME],
  "input.*.tools.*.strict": "carried",
  "input.*.tools.*.format": [GRAMMAR],
  "input.*.tools.*.tools.*.name": [OVERLONG_NAME],
  "input.*.tools.*.tools.*.strict": "carried",
  "input.*.tools.*.tools.*.format": [GRAMMAR],
  tool_choice: ["carried", lost(wordOtherThan("auto", "none", "required"))],
  "tool_choice.type": [lost(otherThan("function", "custom", "allowed_tools"))],
  parallel_tool_calls: "carried",
  temperature: "carried",
  top_p: "carried",
  text: "carried",
  "text.format": "carried",
  "text.format.type": ["carried", lost(otherThan("text", "json_object", "json_schema"))],
  "text.format.schema": "carried",
  "text.format.description": "carried",
  "text.verbosity": "carried",
  "reasoning.effort": ["carried", lost(otherThan(...EFFORTS))],
  reasoning: [
    "carried",
    lost({
      words: `other than an effort of \`none\`, ${WITHOUT_REASONING}`,
      when: (value, _, { reasoning }) => !reasoning && asksForThought(value),
    }),
  ],
  "reasoning.summary": "carried",
  include: "carried",
  "include.*": ["carried", lost(otherThan("reasoning.encrypted_content", PROBABILITIES))],
  top_logprobs: "carried",
  truncation: [lost(otherThan("disabled"))],
  user: ["carried", lost(BESIDE_IDENTIFIER, ONE_USER)],
  safety_identifier: "carried",
  prompt_cache_key: "carried",
  metadata: "carried",
  store: "carried",
  service_tier: "carried",
  background: "carried",
  max_tool_calls: "lost",
  stream_options: "lost",
  prompt_cache_retention: "lost",
  client_metadata: "lost",
} as const satisfies ClientFields;
