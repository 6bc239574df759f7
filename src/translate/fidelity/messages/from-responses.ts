import { isBeyondBudgets, thinksByBudget } from "../../form/claude/thinking.ts";
import { PROBABILITIES } from "../../responses/form-to-request.ts";
import { responsesToForm } from "../../responses/request-to-form.ts";
import { being, NO_JSON_OBJECT, otherThan } from "../conditions.ts";
import { type Answers, type Exception, lost } from "../field-row.ts";
import { FOUND_TOOLS, NEVER_STORED, ORDINARY_TIER, RETURNED, SAID_BY_USER, TOOL_NAME } from "../notes.ts";
import {
  asksForThought,
  forcesCall,
  hasIdleThought,
  LATE_INSTRUCTIONS,
  limitOf,
  strictSchemas,
  thinks,
} from "../responses/conditions.ts";
import type { RESPONSES_FIELDS } from "../responses/fields.ts";
import { ONLY_FALSE, RUN_BY_CALLER } from "../responses/notes.ts";
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

const NOT_HELD_CALL: Exception = notHeld("parameters", strictSchemas);

/** What becomes of a responses request at providers of messages. */
export const RESPONSES_TO_MESSAGES: Answers<typeof RESPONSES_FIELDS> = {
  model: "kept",
  stream: "kept",
  max_output_tokens: "translated",
  instructions: "translated",
  input: [
    { fate: "translated", note: NO_BLANKS },
    lost(LATE_INSTRUCTIONS, SAID_BY_USER),
    lost({ words: IDLE_THOUGHT, when: (items, _, to) => hasIdleThought(items, to) }, LEFT_OUT),
  ],
  "input.*.arguments": ["translated", lost(NO_JSON_OBJECT)],
  "input.*.content.*.detail": ["kept", lost(otherThan("auto"))],
  "input.*.content.*.file_data": "translated",
  "input.*.content.*.file_url": "translated",
  "input.*.output.*.detail": ["kept", lost(otherThan("auto"))],
  "input.*.output.*.file_data": "translated",
  "input.*.output.*.file_url": "translated",
  "input.*.output.*.image_url": "kept",
  "input.*.content.*.image_url": "translated",
  "input.*.encrypted_content": { fate: "translated", note: RETURNED },
  "input.*.tools": "translated",
  tools: { fate: "translated", note: RUN_BY_CALLER },
  "tools.*.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.defer_loading": { fate: "translated", note: FOUND_TOOLS },
  "tools.*.strict": ["kept", NOT_HELD_CALL],
  "tools.*.tools.*.strict": ["kept", NOT_HELD_CALL],
  "input.*.tools.*.strict": ["kept", NOT_HELD_CALL],
  "input.*.tools.*.tools.*.strict": ["kept", NOT_HELD_CALL],
  tool_choice: "translated",
  parallel_tool_calls: "translated",
  temperature: ["kept", ...temperatures(thinks)],
  top_p: ["kept", ...topPs(thinks)],
  text: "translated",
  "text.format": "translated",
  "text.format.type": ["translated", lost(being("json_object"))],
  "text.format.schema": ["translated", NOT_HELD],
  "text.format.description": "lost",
  "text.verbosity": "lost",
  "reasoning.effort": [
    {
      fate: "translated",
      note: "Sent as adaptive thinking, or as a budget on models without it; `minimal` becomes `low`.",
    },
    UNASKED,
  ],
  reasoning: [
    "translated",
    lost(
      { words: BESIDE_FORCED_CALL, when: (value, body) => asksForThought(value) && forcesCall(body) },
      WITHOUT_THINKING,
    ),
    lost({
      words: BEYOND_BUDGETS,
      when: (_, body, { reasoning, models, open }) =>
        reasoning &&
        models.some(thinksByBudget) &&
        thinks(body) &&
        isBeyondBudgets(responsesToForm(body, open), { maxTokens: limitOf(body), dialect: "messages" }),
    }),
  ],
  "reasoning.summary": { fate: "translated", note: "Reasoning is shown if the provider shows it." },
  include: "kept",
  "include.*": ["kept", lost(being(PROBABILITIES))],
  top_logprobs: ["kept", lost(otherThan(0))],
  user: "translated",
  safety_identifier: "translated",
  prompt_cache_key: "lost",
  metadata: "lost",
  store: { fate: "kept", note: NEVER_STORED },
  service_tier: { fate: "kept", note: ORDINARY_TIER },
  background: { fate: "kept", note: ONLY_FALSE },
};
