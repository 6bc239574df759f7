import type { Fault } from "../../core/fault.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { formatABody, renderFormatA } from "../errors/format-a.ts";
import { responsesUsageOf } from "../show-usage.ts";

/** A refusal as a message: status and headers stand in it, since a message has none. */
export function socketError(fault: Fault, requestId: string): { status: number; text: string } {
  const { status, headers } = renderFormatA(fault, requestId);
  const text = JSON.stringify({ type: "error", status, ...formatABody(fault, requestId), headers });
  return { status, text };
}

type WarmedUp = { requestId: string; model: string; createdAtSeconds: number };

/** The answer to a message that wants nothing generated: a response without output, whose id the next message may name. */
export function warmUpAnswer({ requestId, model, createdAtSeconds }: WarmedUp): { id: string; texts: string[] } {
  const id = `resp_${requestId.replace(/^req_/, "")}`;
  const response = {
    id,
    object: "response",
    created_at: createdAtSeconds,
    status: "in_progress",
    access_programs: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: null,
    store: false,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage: null,
  };
  const completed = { ...response, status: "completed", usage: responsesUsageOf(NO_USAGE) };
  const texts = [
    { type: "response.created", sequence_number: 0, response },
    { type: "response.completed", sequence_number: 1, response: completed },
  ].map((event) => JSON.stringify(event));
  return { id, texts };
}
