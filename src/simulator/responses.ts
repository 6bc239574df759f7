import type { Ask, Dialect, Generation, JsonObject, StreamEncoder } from "./dialect.ts";
import { refuseLikeOpenai } from "./openai-errors.ts";
import { readCount, readModel, readStreamed } from "./read-field.ts";
import { invalid } from "./refusal.ts";
import { outputItem, partOf, responseObject } from "./response-object.ts";
import { frameByType } from "./sse-frame.ts";

export const responses: Dialect = {
  name: "responses",
  folder: "responses",
  credentialHeaders: ["authorization"],
  requestIdHeader: "x-request-id",
  read,
  encode,
  answer: (generation) => JSON.stringify(responseObject(generation, finalStatus(generation))),
  refuse: refuseLikeOpenai,
  frame: frameByType,
  terminator: null,
};

function read(body: JsonObject): Ask {
  const { input } = body;
  if (typeof input !== "string" && !Array.isArray(input))
    throw invalid("input: a string or an array is required", "input");
  return {
    model: readModel(body),
    streamed: readStreamed(body),
    limitTokens: readCount(body, "max_output_tokens"),
    choices: 1,
    streamUsage: true,
    prompt: [body["instructions"], input, body["tools"]],
    body,
  };
}

function encode(generation: Generation): StreamEncoder {
  const { content, tokens } = generation;
  const opening = openingEvents(generation);
  const deltaType = generation.tool === null ? "response.output_text.delta" : "response.function_call_arguments.delta";
  const place = JSON.stringify(placeOf(generation)).slice(1, -1);
  const prefix = `event: ${deltaType}\ndata: {"type":"${deltaType}",${place},"delta":"`;
  const middle = `"${generation.tool === null ? ',"logprobs":[]' : ""},"sequence_number":`;
  const first = opening.length;

  return {
    tokens,
    opening: opening.map(numberedFrom(0)),
    token: (index) => prefix + content.escapedPiece(index) + middle + (first + index) + "}\n\n",
    closing: () => closingEvents(generation).map(numberedFrom(first + tokens)),
    failure: (sentTokens) =>
      numberedFrom(first + sentTokens)({ type: "response.failed", response: responseObject(generation, "failed") }, 0),
    broken: `${prefix}\n\n`,
  };
}

type Event = { type: string } & JsonObject;

const numberedFrom = (first: number) => (event: Event, index: number) =>
  `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: first + index })}\n\n`;

const finalStatus = ({ truncated }: Generation) => (truncated ? "incomplete" : "completed");

/** Where a delta belongs: a text part has an index inside its item, the arguments of a call have not. */
function placeOf(generation: Generation): JsonObject {
  const item = { item_id: outputItem(generation, "in_progress").id, output_index: 0 };
  return generation.tool === null ? { ...item, content_index: 0 } : item;
}

function openingEvents(generation: Generation): Event[] {
  const response = responseObject(generation, "in_progress");
  const item = outputItem(generation, "in_progress");
  const events: Event[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    { type: "response.output_item.added", output_index: 0, item },
  ];
  if (generation.tool !== null) return events;
  return [...events, { type: "response.content_part.added", ...placeOf(generation), part: partOf("") }];
}

function closingEvents(generation: Generation): Event[] {
  const { tool, content, tokens } = generation;
  const text = content.text(tokens);
  const place = placeOf(generation);
  const status = finalStatus(generation);
  const last: Event[] = [
    { type: "response.output_item.done", output_index: 0, item: outputItem(generation, status) },
    { type: `response.${status}`, response: responseObject(generation, status) },
  ];
  if (tool !== null) return [{ type: "response.function_call_arguments.done", ...place, arguments: text }, ...last];
  return [
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: partOf(text) },
    ...last,
  ];
}
