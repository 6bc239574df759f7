import { type Answers, lost } from "../field-row.ts";
import { BUDGETS, DISABLED, OLDER_NAME } from "../messages/conditions.ts";
import type { MESSAGES_FIELDS } from "../messages/fields.ts";
import { FOUND_TOOLS, ORDINARY_TIER, RETURNED, TOOL_NAME } from "../notes.ts";
import { EFFORT, FORM_BESIDE_TOOLS, LINKED, NO_STRICT_CALLS, NOT_HELD, TOO_MANY_STOPS, UNASKED } from "./exceptions.ts";

/** What becomes of a message request at providers of Gemini. */
export const MESSAGES_TO_GEMINI: Answers<typeof MESSAGES_FIELDS> = {
  model: "translated",
  stream: "translated",
  max_tokens: "translated",
  system: "translated",
  messages: "translated",
  "messages.*.role": "translated",
  "messages.*.content": "translated",
  "messages.*.content.*.source": "translated",
  "messages.*.content.*": ["translated", LINKED],
  "messages.*.content.*.title": { fate: "translated", note: "Sent as text before the document." },
  "messages.*.content.*.citations": [
    "kept",
    lost({ words: "of URLs", when: (value) => Array.isArray(value) && value.length > 0 }),
  ],
  "messages.*.content.*.content.*.source": { fate: "translated", note: "Sent as user content after the results." },
  "messages.*.content.*.content.*": ["translated", LINKED],
  "messages.*.content.*.content.*.title": { fate: "translated", note: "Sent as text before the document." },
  "messages.*.content.*.is_error": "translated",
  "messages.*.content.*.signature": { fate: "translated", note: RETURNED },
  tools: "translated",
  "tools.*.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.strict": ["kept", NO_STRICT_CALLS],
  "tools.*.defer_loading": { fate: "translated", note: FOUND_TOOLS },
  tool_choice: "translated",
  temperature: "kept",
  top_p: "translated",
  stop_sequences: [{ fate: "translated", note: "The response does not say which one matched." }, TOO_MANY_STOPS],
  thinking: [{ fate: "translated", note: BUDGETS }, DISABLED],
  output_config: "translated",
  "output_config.effort": [{ fate: "translated", note: EFFORT }, UNASKED],
  "output_config.format": ["translated", FORM_BESIDE_TOOLS],
  "output_config.format.schema": ["translated", NOT_HELD],
  metadata: "lost",
  service_tier: { fate: "kept", note: ORDINARY_TIER },
  output_format: [{ fate: "translated", note: OLDER_NAME }, FORM_BESIDE_TOOLS],
  "output_format.schema": ["translated", NOT_HELD],
  "system.*.cache_control": "lost",
  "messages.*.content.*.cache_control": "lost",
  "messages.*.content.*.content.*.cache_control": "lost",
  "tools.*.cache_control": "lost",
};
