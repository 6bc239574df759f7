import { being } from "../conditions.ts";
import { type Answers, lost } from "../field-row.ts";
import {
  BUDGETS,
  DISABLED,
  HIDDEN_USER,
  NOT_STRICT_SCHEMA,
  NOT_STRICT_TOOL,
  OF_LINKED_DOCUMENT,
  OLDER_NAME,
} from "../messages/conditions.ts";
import type { MESSAGES_FIELDS } from "../messages/fields.ts";
import { FOUND_TOOLS, ORDINARY_TIER, RETURNED, TOOL_NAME } from "../notes.ts";
import { LEAST_LIMIT } from "./notes.ts";

/** What becomes of a message request at providers of responses. */
export const MESSAGES_TO_RESPONSES: Answers<typeof MESSAGES_FIELDS> = {
  model: "kept",
  stream: "kept",
  max_tokens: { fate: "translated", note: LEAST_LIMIT },
  system: "translated",
  messages: "translated",
  "messages.*.role": "translated",
  "messages.*.content": "translated",
  "messages.*.content.*.source": "translated",
  "messages.*.content.*": "translated",
  "messages.*.content.*.title": ["translated", lost(OF_LINKED_DOCUMENT)],
  "messages.*.content.*.citations": "translated",
  "messages.*.content.*.content.*.source": "translated",
  "messages.*.content.*.content.*": "translated",
  "messages.*.content.*.content.*.title": ["translated", lost(OF_LINKED_DOCUMENT)],
  "messages.*.content.*.is_error": ["kept", lost(being(true))],
  "messages.*.content.*.signature": { fate: "translated", note: RETURNED },
  tools: "translated",
  "tools.*.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.strict": ["kept", NOT_STRICT_TOOL],
  "tools.*.defer_loading": { fate: "translated", note: FOUND_TOOLS },
  tool_choice: "translated",
  temperature: "kept",
  top_p: "kept",
  stop_sequences: "lost",
  thinking: [{ fate: "translated", note: BUDGETS }, DISABLED],
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
