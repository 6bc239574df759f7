import { PROBABILITIES } from "../../responses/form-to-request.ts";
import { being, NO_JSON_OBJECT, otherThan } from "../conditions.ts";
import { type Answers, lost } from "../field-row.ts";
import { BYTES_ALONE, FOUND_TOOLS, NEVER_STORED, ORDINARY_TIER, RETURNED, SAID_BY_USER, TOOL_NAME } from "../notes.ts";
import { LATE_INSTRUCTIONS } from "../responses/conditions.ts";
import type { RESPONSES_FIELDS } from "../responses/fields.ts";
import { ONLY_FALSE, RUN_BY_CALLER } from "../responses/notes.ts";
import {
  AT_ADDRESS,
  EFFORT,
  FORM_BESIDE_TOOLS,
  NO_SERIAL_CALLS,
  NO_STRICT_CALLS,
  NOT_HELD,
  UNASKED,
  UNREADABLE_FILE,
} from "./exceptions.ts";

/** What becomes of a responses request at providers of Gemini. */
export const RESPONSES_TO_GEMINI: Answers<typeof RESPONSES_FIELDS> = {
  model: "translated",
  stream: "translated",
  max_output_tokens: "translated",
  instructions: "translated",
  input: ["translated", lost(LATE_INSTRUCTIONS, SAID_BY_USER)],
  "input.*.arguments": ["translated", lost(NO_JSON_OBJECT)],
  "input.*.content.*.detail": ["kept", lost(otherThan("auto"))],
  "input.*.content.*.file_data": ["translated", UNREADABLE_FILE],
  "input.*.content.*.file_url": { fate: "refused", note: BYTES_ALONE },
  "input.*.output.*.detail": ["kept", lost(otherThan("auto"))],
  "input.*.output.*.file_data": ["translated", UNREADABLE_FILE],
  "input.*.output.*.file_url": { fate: "refused", note: BYTES_ALONE },
  "input.*.output.*.image_url": [{ fate: "translated", note: "Sent as user content after the results." }, AT_ADDRESS],
  "input.*.content.*.image_url": ["translated", AT_ADDRESS],
  "input.*.encrypted_content": { fate: "translated", note: RETURNED },
  "input.*.tools": "translated",
  tools: { fate: "translated", note: RUN_BY_CALLER },
  "tools.*.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.defer_loading": { fate: "translated", note: FOUND_TOOLS },
  "tools.*.strict": ["kept", NO_STRICT_CALLS],
  "tools.*.tools.*.strict": ["kept", NO_STRICT_CALLS],
  "input.*.tools.*.strict": ["kept", NO_STRICT_CALLS],
  "input.*.tools.*.tools.*.strict": ["kept", NO_STRICT_CALLS],
  tool_choice: "translated",
  parallel_tool_calls: ["kept", NO_SERIAL_CALLS],
  temperature: "kept",
  top_p: "translated",
  text: "translated",
  "text.format": ["translated", FORM_BESIDE_TOOLS],
  "text.format.type": "translated",
  "text.format.schema": ["translated", NOT_HELD],
  "text.format.description": "translated",
  "text.verbosity": "lost",
  "reasoning.effort": [{ fate: "translated", note: EFFORT }, UNASKED],
  reasoning: "translated",
  "reasoning.summary": "translated",
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
