import { isBeyondBudgets, thinksByBudget } from "../../form/claude/thinking.ts";
import { numberOrNull, objectOf, objectsOf } from "../../form/read-json.ts";
import { messagesToForm } from "../../messages/request-to-form.ts";
import { type Answers, lost, type Recipient } from "../field-row.ts";
import { ADAPTIVE, BUDGETS, DISABLED, OLDER_NAME } from "../messages/conditions.ts";
import { BESIDE_FORCED_CALL, BEYOND_BUDGETS, LEFT_OUT, NO_BLANKS, WITHOUT_THINKING } from "../messages/exceptions.ts";
import type { MESSAGES_FIELDS } from "../messages/fields.ts";
import { FOUND_TOOLS, ORDINARY_TIER, RETURNED, TOOL_NAME } from "../notes.ts";
import {
  BLANK_STOP,
  EFFORT,
  IDLE_THOUGHT,
  isForClaude,
  LINKED,
  NO_EFFORT,
  NO_FAILURES,
  NO_SCHEMA,
  NO_STRICT_CALLS,
  NOT_FORCED,
  NOT_HELD,
  NOT_OFFERED,
  temperatures,
  topPs,
  UNASKED,
  UNCACHED,
  UNCACHED_TOOLS,
  UNNAMED,
} from "./exceptions.ts";

type Body = Recipient["body"];

const forcesCall = ({ tools, tool_choice: choice }: Body): boolean =>
  objectsOf(tools).length > 0 && ["any", "tool"].includes(String(objectOf(choice)["type"]));

const asksForThought = (thinking: unknown): boolean =>
  ["enabled", "adaptive"].includes(String(objectOf(thinking)["type"]));

/** An effort alone is thought about as well. */
const thinks = ({ thinking, output_config: output, ...body }: Body): boolean =>
  (asksForThought(thinking) || objectOf(output)["effort"] !== undefined) && !forcesCall(body);

const limitOf = ({ max_tokens: limit }: Body): number => numberOrNull(limit) ?? Number.POSITIVE_INFINITY;

/** Whether a turn ends in thinking that a provider of this format gave. */
function hasIdleThought(messages: unknown, { provider, open }: Recipient): boolean {
  let idle = false;
  for (const { role, content } of objectsOf(messages)) {
    if (role !== "assistant" && idle) return true;
    if (role !== "assistant") continue;
    if (typeof content === "string" && content !== "") idle = false;
    for (const { type, signature, data } of objectsOf(content)) {
      if (type !== "thinking" && type !== "redacted_thinking") idle = false;
      else idle ||= open(signature ?? data)?.dialect === provider;
    }
  }
  return idle;
}

/** What becomes of a message request at providers of Converse. */
export const MESSAGES_TO_CONVERSE: Answers<typeof MESSAGES_FIELDS> = {
  model: "translated",
  stream: "translated",
  max_tokens: "translated",
  system: "translated",
  messages: [
    "translated",
    lost({ words: IDLE_THOUGHT, when: (messages, _, to) => hasIdleThought(messages, to) }, LEFT_OUT),
  ],
  "messages.*.role": "translated",
  "messages.*.content": { fate: "translated", note: NO_BLANKS },
  "messages.*.content.*.source": "translated",
  "messages.*.content.*": ["translated", LINKED, UNNAMED],
  "messages.*.content.*.title": {
    fate: "translated",
    note: "Sent as the document's name; one with other characters than letters, digits, spaces, `-`, `()` and `[]` as text before it.",
  },
  "messages.*.content.*.citations": [
    "kept",
    lost({ words: "of URLs", when: (value) => Array.isArray(value) && value.length > 0 }),
  ],
  "messages.*.content.*.content.*.source": "translated",
  "messages.*.content.*.content.*": ["translated", LINKED, UNNAMED],
  "messages.*.content.*.content.*.title": "translated",
  "messages.*.content.*.is_error": ["translated", NO_FAILURES],
  "messages.*.content.*.signature": { fate: "translated", note: RETURNED },
  "messages.*.content.*.cache_control": ["translated", ...UNCACHED],
  "messages.*.content.*.content.*.cache_control": [
    { fate: "translated", note: "Sent behind the result, once." },
    ...UNCACHED,
  ],
  "system.*.cache_control": ["translated", ...UNCACHED],
  tools: ["translated", NOT_OFFERED],
  "tools.*.name": { fate: "translated", note: TOOL_NAME },
  "tools.*.strict": ["kept", NO_STRICT_CALLS],
  "tools.*.defer_loading": { fate: "translated", note: FOUND_TOOLS },
  "tools.*.cache_control": ["translated", ...UNCACHED_TOOLS],
  tool_choice: ["translated", NOT_FORCED],
  temperature: ["kept", ...temperatures(thinks)],
  top_p: ["translated", ...topPs(thinks)],
  stop_sequences: ["translated", BLANK_STOP],
  thinking: [
    { fate: "translated", note: BUDGETS },
    DISABLED,
    lost({
      words: "on a model other than Claude, without an effort or a budget",
      when: (thinking, body, to) => to.models.length > 0 && !isForClaude(to) && ADAPTIVE.when(thinking, body, to),
    }),
    NO_EFFORT,
    lost(
      {
        words: `${BESIDE_FORCED_CALL}, on Claude`,
        when: (thinking, body, to) => isForClaude(to) && asksForThought(thinking) && forcesCall(body),
      },
      WITHOUT_THINKING,
    ),
    lost({
      words: BEYOND_BUDGETS,
      when: (_, body, { reasoning, models, open }) =>
        reasoning &&
        models.some(thinksByBudget) &&
        thinks(body) &&
        isBeyondBudgets(messagesToForm(body, open), { maxTokens: limitOf(body), dialect: "converse" }),
    }),
  ],
  output_config: "translated",
  "output_config.effort": [{ fate: "translated", note: EFFORT }, NO_EFFORT, UNASKED],
  "output_config.format": ["translated", NO_SCHEMA],
  "output_config.format.schema": ["translated", NOT_HELD],
  metadata: "lost",
  service_tier: { fate: "kept", note: ORDINARY_TIER },
  output_format: [{ fate: "translated", note: OLDER_NAME }, NO_SCHEMA],
  "output_format.schema": ["translated", NOT_HELD],
};
