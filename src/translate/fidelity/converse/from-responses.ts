import { isBeyondBudgets, thinksByBudget } from "../../form/claude/thinking.ts";
import { PROBABILITIES } from "../../responses/form-to-request.ts";
import { responsesToForm } from "../../responses/request-to-form.ts";
import { being, NO_JSON_OBJECT, otherThan } from "../conditions.ts";
import { type Answers, lost } from "../field-row.ts";
import { BESIDE_FORCED_CALL, BEYOND_BUDGETS, LEFT_OUT, NO_BLANKS, WITHOUT_THINKING } from "../messages/exceptions.ts";
import { BYTES_ALONE, FOUND_TOOLS, NEVER_STORED, ORDINARY_TIER, RETURNED, SAID_BY_USER, TOOL_NAME } from "../notes.ts";
import {
  asksForThought,
  forcesCall,
  hasIdleThought,
  LATE_INSTRUCTIONS,
  limitOf,
  thinks,
} from "../responses/conditions.ts";
import type { RESPONSES_FIELDS } from "../responses/fields.ts";
import { ONLY_FALSE, RUN_BY_CALLER } from "../responses/notes.ts";
import {
  AT_ADDRESS,
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
  UNNAMED_IMAGE,
  UNREADABLE_FILE,
} from "./exceptions.ts";

/** What becomes of a responses request at providers of Converse. */
export const RESPONSES_TO_CONVERSE: Answers<typeof RESPONSES_FIELDS> = {
  model: "translated",
  stream: "translated",
  max_output_tokens: "translated",
  instructions: "translated",
  input: [
    { fate: "translated", note: NO_BLANKS },
    lost(LATE_INSTRUCTIONS, SAID_BY_USER),
    lost({ words: IDLE_THOUGHT, when: (items, _, to) => hasIdleThought(items, to) }, LEFT_OUT),
  ],
  "input.*.arguments": ["translated", lost(NO_JSON_OBJECT)],
  "input.*.content.*.detail": ["kept", lost(otherThan("auto"))],
  "input.*.content.*.file_data": ["translated", UNREADABLE_FILE],
  "input.*.content.*.file_url": { fate: "refused", note: BYTES_ALONE },
  "input.*.output.*.detail": ["kept", lost(otherThan("auto"))],
  "input.*.output.*.file_data": ["translated", UNREADABLE_FILE],
  "input.*.output.*.file_url": { fate: "refused", note: BYTES_ALONE },
  "input.*.output.*.image_url": ["translated", AT_ADDRESS, UNNAMED_IMAGE],
  "input.*.content.*.image_url": ["translated", AT_ADDRESS, UNNAMED_IMAGE],
  "input.*.encrypted_content": { fate: "translated", note: RETURNED },
  "input.*.tools": ["translated", NOT_OFFERED],
  tools: [{ fate: "translated", note: RUN_BY_CALLER }, NOT_OFFERED],
  "tools.*.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.defer_loading": { fate: "translated", note: FOUND_TOOLS },
  "tools.*.strict": ["kept", NO_STRICT_CALLS],
  "tools.*.tools.*.strict": ["kept", NO_STRICT_CALLS],
  "input.*.tools.*.strict": ["kept", NO_STRICT_CALLS],
  "input.*.tools.*.tools.*.strict": ["kept", NO_STRICT_CALLS],
  tool_choice: ["translated", NOT_FORCED],
  parallel_tool_calls: ["kept", NO_SERIAL_CALLS],
  temperature: ["kept", ...temperatures(thinks)],
  top_p: ["translated", ...topPs(thinks)],
  text: "translated",
  "text.format": ["translated", NO_SCHEMA],
  "text.format.type": ["translated", lost(being("json_object"))],
  "text.format.schema": ["translated", NOT_HELD],
  "text.format.description": "translated",
  "text.verbosity": "lost",
  "reasoning.effort": [{ fate: "translated", note: EFFORT }, NO_EFFORT, UNASKED],
  reasoning: [
    "translated",
    lost(
      {
        words: `${BESIDE_FORCED_CALL}, on Claude`,
        when: (value, body, to) => isForClaude(to) && asksForThought(value) && forcesCall(body),
      },
      WITHOUT_THINKING,
    ),
    lost({
      words: BEYOND_BUDGETS,
      when: (_, body, { reasoning, models, open }) =>
        reasoning &&
        models.some(thinksByBudget) &&
        thinks(body) &&
        isBeyondBudgets(responsesToForm(body, open), { maxTokens: limitOf(body), dialect: "converse" }),
    }),
  ],
  "reasoning.summary": { fate: "translated", note: "Reasoning is shown if the provider shows it." },
  include: "kept",
  "include.*": ["kept", lost(being(PROBABILITIES))],
  top_logprobs: ["kept", lost(otherThan(0))],
  user: "lost",
  safety_identifier: "lost",
  prompt_cache_key: "lost",
  metadata: "lost",
  store: { fate: "kept", note: NEVER_STORED },
  service_tier: { fate: "kept", note: ORDINARY_TIER },
  background: { fate: "kept", note: ONLY_FALSE },
};
