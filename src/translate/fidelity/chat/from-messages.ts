import { MOST_CHAT_STOPS } from "../../chat/form-to-request.ts";
import { being } from "../conditions.ts";
import { type Answers, type Exception, lost, refused } from "../field-row.ts";
import {
  ADAPTIVE,
  BUDGETS,
  DISABLED,
  HIDDEN_USER,
  LINKED_DOCUMENT,
  NOT_STRICT_SCHEMA,
  NOT_STRICT_TOOL,
  OLDER_NAME,
} from "../messages/conditions.ts";
import type { MESSAGES_FIELDS } from "../messages/fields.ts";
import { BYTES_ALONE, FOUND_TOOLS, ORDINARY_TIER, RETURNED, TOOL_NAME } from "../notes.ts";

const NO_ADDRESS: Exception = refused(LINKED_DOCUMENT, BYTES_ALONE);

/** What becomes of a message request at providers of chat completions. */
export const MESSAGES_TO_CHAT: Answers<typeof MESSAGES_FIELDS> = {
  model: "kept",
  stream: "kept",
  max_tokens: "kept",
  system: "translated",
  messages: "translated",
  "messages.*.role": "translated",
  "messages.*.content": "translated",
  "messages.*.content.*.source": "translated",
  "messages.*.content.*": ["translated", NO_ADDRESS],
  "messages.*.content.*.title": "translated",
  "messages.*.content.*.citations": [
    "kept",
    lost({ words: "of URLs", when: (value) => Array.isArray(value) && value.length > 0 }),
  ],
  "messages.*.content.*.content.*.source": "translated",
  "messages.*.content.*.content.*": ["translated", NO_ADDRESS],
  "messages.*.content.*.content.*.title": "translated",
  "messages.*.content.*.is_error": ["kept", lost(being(true))],
  "messages.*.content.*.signature": { fate: "translated", note: RETURNED },
  tools: "translated",
  "tools.*.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.strict": ["kept", NOT_STRICT_TOOL],
  "tools.*.defer_loading": { fate: "translated", note: FOUND_TOOLS },
  tool_choice: "translated",
  temperature: "kept",
  top_p: "kept",
  stop_sequences: [
    { fate: "translated", note: "The response does not say which one matched." },
    lost(
      { words: "more than four", when: (value) => Array.isArray(value) && value.length > MOST_CHAT_STOPS },
      "The first four are sent.",
    ),
  ],
  thinking: [{ fate: "translated", note: BUDGETS }, DISABLED, lost(ADAPTIVE)],
  output_config: "translated",
  "output_config.effort": "translated",
  "output_config.format": "translated",
  "output_config.format.schema": ["translated", NOT_STRICT_SCHEMA],
  metadata: { fate: "translated", note: HIDDEN_USER },
  service_tier: { fate: "kept", note: ORDINARY_TIER },
  output_format: { fate: "translated", note: OLDER_NAME },
  "output_format.schema": ["translated", NOT_STRICT_SCHEMA],
  "system.*.cache_control": "lost",
  "messages.*.content.*.cache_control": "lost",
  "messages.*.content.*.content.*.cache_control": "lost",
  "tools.*.cache_control": "lost",
};
