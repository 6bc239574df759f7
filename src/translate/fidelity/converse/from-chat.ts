import { chatToForm } from "../../chat/request-to-form.ts";
import { isBeyondBudgets, thinksByBudget } from "../../form/claude/thinking.ts";
import { forcesCall, hasIdleThought, LATE_INSTRUCTIONS, limitOf, NOT_EMPTY, thinks } from "../chat/conditions.ts";
import type { CHAT_FIELDS } from "../chat/fields.ts";
import { being, NO_JSON_OBJECT, otherThan } from "../conditions.ts";
import { type Answers, lost } from "../field-row.ts";
import { BESIDE_FORCED_CALL, BEYOND_BUDGETS, LEFT_OUT, NO_BLANKS, WITHOUT_THINKING } from "../messages/exceptions.ts";
import { NEVER_STORED, ORDINARY_TIER, RETURNED, SAID_BY_USER, TOOL_NAME } from "../notes.ts";
import {
  AT_ADDRESS,
  BLANK_STOP,
  EFFORT,
  IDLE_THOUGHT,
  isForClaude,
  NO_EFFORT,
  NO_SCHEMA,
  NO_SERIAL_CALLS,
  NO_STRICT_CALLS,
  NOT_FORCED,
  NOT_HELD,
  NOT_OFFERED,
  temperatures,
  topPs,
  UNASKED,
  UNCACHED,
  UNCACHED_TOOLS,
  UNNAMED_IMAGE,
  UNREADABLE_FILE,
} from "./exceptions.ts";

/** What becomes of a chat completion request at providers of Converse. */
export const CHAT_TO_CONVERSE: Answers<typeof CHAT_FIELDS> = {
  model: "translated",
  stream: "translated",
  stream_options: "kept",
  max_tokens: "translated",
  max_completion_tokens: "translated",
  messages: [
    { fate: "translated", note: "Leading instructions go to the format's own field for them." },
    lost(LATE_INSTRUCTIONS, SAID_BY_USER),
    lost({ words: IDLE_THOUGHT, when: (messages, _, to) => hasIdleThought(messages, to) }, LEFT_OUT),
  ],
  "messages.*.role": "translated",
  "messages.*.content": { fate: "translated", note: NO_BLANKS },
  "messages.*.content.*.text": "kept",
  "messages.*.content.*.refusal": "translated",
  "messages.*.content.*.image_url": ["translated", AT_ADDRESS, UNNAMED_IMAGE],
  "messages.*.content.*.image_url.detail": ["kept", lost(otherThan("auto"))],
  "messages.*.content.*.file": ["translated", UNREADABLE_FILE],
  "messages.*.content.*.cache_control": ["translated", ...UNCACHED],
  "messages.*.tool_call_id": "translated",
  "messages.*.tool_calls": "translated",
  "messages.*.tool_calls.*.function.arguments": ["translated", lost(NO_JSON_OBJECT)],
  "messages.*.refusal": "translated",
  "messages.*.annotations": ["kept", lost(NOT_EMPTY)],
  "messages.*.reasoning_details": { fate: "translated", note: RETURNED },
  temperature: ["kept", ...temperatures(thinks)],
  top_p: ["translated", ...topPs(thinks)],
  stop: ["translated", BLANK_STOP],
  tools: ["translated", NOT_OFFERED],
  "tools.*.function": "translated",
  "tools.*.function.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.function.strict": ["kept", NO_STRICT_CALLS],
  "tools.*.cache_control": ["translated", ...UNCACHED_TOOLS],
  tool_choice: [{ fate: "translated", note: "With `allowed_tools`, only those tools are offered." }, NOT_FORCED],
  parallel_tool_calls: ["kept", NO_SERIAL_CALLS],
  response_format: ["translated", NO_SCHEMA],
  "response_format.type": ["translated", lost(being("json_object"))],
  "response_format.json_schema.schema": ["translated", NOT_HELD],
  "response_format.json_schema.description": "translated",
  reasoning_effort: [
    { fate: "translated", note: EFFORT },
    NO_EFFORT,
    UNASKED,
    lost(
      {
        words: `${BESIDE_FORCED_CALL}, on Claude`,
        when: (value, body, to) => value !== "none" && isForClaude(to) && forcesCall(body),
      },
      WITHOUT_THINKING,
    ),
    lost({
      words: BEYOND_BUDGETS,
      when: (_, body, { reasoning, models, open }) =>
        reasoning &&
        models.some(thinksByBudget) &&
        thinks(body) &&
        isBeyondBudgets(chatToForm(body, open), { maxTokens: limitOf(body), dialect: "converse" }),
    }),
  ],
  verbosity: "lost",
  user: "lost",
  safety_identifier: "lost",
  prompt_cache_key: "lost",
  metadata: "lost",
  store: { fate: "kept", note: NEVER_STORED },
  service_tier: { fate: "kept", note: ORDINARY_TIER },
  logprobs: ["kept", lost(otherThan(false))],
  top_logprobs: "lost",
};
