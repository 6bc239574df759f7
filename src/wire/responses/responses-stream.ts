import type { Fault } from "../../core/fault.ts";
import { formatABody } from "../errors/format-a.ts";

/** A comment: every client of this format passes over it. */
export const RESPONSES_KEEP_ALIVE = Buffer.from(": keep-alive\n\n");

/** What a stream has said of itself so far; clients check that its last event says the same. */
export type ResponseIdentity = { id: string; model: string; createdAtSeconds: number };

type Failure = {
  fault: Fault;
  requestId: string;
  /** Null: the stream failed before it said anything. */
  identity: ResponseIdentity | null;
  sequenceNumber: number;
};

/**
 * A failure after the stream has begun. Agents read `response.failed` and pass over a bare `error` event, and the official
 * client wants a whole Response in it. [interface decision 30]
 */
export function responsesFailure({ fault, requestId, identity, sequenceNumber }: Failure): Buffer {
  const response = {
    id: identity?.id ?? `resp_${requestId.replace(/^req_/, "")}`,
    object: "response",
    created_at: identity?.createdAtSeconds ?? 0,
    status: "failed",
    ...formatABody(fault, requestId),
    access_programs: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: identity?.model ?? "",
    output: [],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: null,
  };
  return responsesEvent({ type: "response.failed", sequence_number: sequenceNumber, response });
}

/** One event: its name stands before its data, and in it. */
export function responsesEvent(data: { type: string } & Record<string, unknown>): Buffer {
  return Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
}
