import { chatToForm } from "../../chat/request-to-form.ts";
import { hasWords } from "../../form/build-form.ts";
import { isBeyondBudgets, thinksByBudget } from "../../form/claude/thinking.ts";
import {
  forcesCall,
  hasIdleThought,
  LATE_INSTRUCTIONS,
  limitOf,
  NOT_EMPTY,
  strictSchemas,
  thinks,
} from "../chat/conditions.ts";
import type { CHAT_FIELDS } from "../chat/fields.ts";
import { being, NO_JSON_OBJECT, otherThan } from "../conditions.ts";
import { type Answers, lost } from "../field-row.ts";
import { NEVER_STORED, ORDINARY_TIER, RETURNED, SAID_BY_USER, TOOL_NAME } from "../notes.ts";
import {
  BESIDE_FORCED_CALL,
  BEYOND_BUDGETS,
  IDLE_THOUGHT,
  LEFT_OUT,
  NO_BLANKS,
  NOT_HELD,
  notHeld,
  temperatures,
  topPs,
  UNASKED,
  WITHOUT_THINKING,
} from "./exceptions.ts";

/** What becomes of a chat completion request at providers of messages. */
export const CHAT_TO_MESSAGES: Answers<typeof CHAT_FIELDS> = {
  model: "kept",
  stream: "kept",
  stream_options: "kept",
  max_tokens: "kept",
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
  "messages.*.content.*.image_url": "translated",
  "messages.*.content.*.image_url.detail": ["kept", lost(otherThan("auto"))],
  "messages.*.content.*.file": "translated",
  "messages.*.content.*.cache_control": "kept",
  "messages.*.tool_call_id": "kept",
  "messages.*.tool_calls": "translated",
  "messages.*.tool_calls.*.function.arguments": ["translated", lost(NO_JSON_OBJECT)],
  "messages.*.refusal": "translated",
  "messages.*.annotations": ["kept", lost(NOT_EMPTY)],
  "messages.*.reasoning_details": { fate: "translated", note: RETURNED },
  temperature: ["kept", ...temperatures(thinks)],
  top_p: ["kept", ...topPs(thinks)],
  stop: [
    "kept",
    lost({ words: "only white space", when: (value) => ![value].flat().every((stop) => hasWords(String(stop))) }),
  ],
  tools: "translated",
  "tools.*.function": "translated",
  "tools.*.function.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.function.strict": ["kept", notHeld("parameters", strictSchemas)],
  "tools.*.cache_control": "kept",
  tool_choice: { fate: "translated", note: "With `allowed_tools`, only those tools are offered." },
  parallel_tool_calls: "translated",
  response_format: "translated",
  "response_format.type": ["translated", lost(being("json_object"))],
  "response_format.json_schema.schema": ["translated", NOT_HELD],
  "response_format.json_schema.description": "lost",
  reasoning_effort: [
    {
      fate: "translated",
      note: "Sent as adaptive thinking, or as a budget on models without it; `minimal` becomes `low`.",
    },
    UNASKED,
    lost({ words: BESIDE_FORCED_CALL, when: (value, body) => value !== "none" && forcesCall(body) }, WITHOUT_THINKING),
    lost({
      words: BEYOND_BUDGETS,
      when: (_, body, { reasoning, models, open }) =>
        reasoning &&
        models.some(thinksByBudget) &&
        thinks(body) &&
        isBeyondBudgets(chatToForm(body, open), { maxTokens: limitOf(body), dialect: "messages" }),
    }),
  ],
  verbosity: "lost",
  user: "translated",
  safety_identifier: "translated",
  prompt_cache_key: "lost",
  metadata: "lost",
  store: { fate: "kept", note: NEVER_STORED },
  service_tier: { fate: "kept", note: ORDINARY_TIER },
  logprobs: ["kept", lost(otherThan(false))],
  top_logprobs: "lost",
};
