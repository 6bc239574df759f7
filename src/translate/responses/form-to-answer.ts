import type { Usage } from "../../core/money/usage.ts";
import { responsesEvent, responsesFailure } from "../../wire/responses/responses-stream.ts";
import { responsesUsageOf } from "../../wire/show-usage.ts";
import { type Answer, type AnswerEvent, blockAt } from "../form/answer-form.ts";
import type { Json } from "../../core/bytes/json.ts";
import type { AnswerName, AnswerWriter, ClientSide } from "../form/sides.ts";
import { createNumberedTemplate } from "../form/text-template.ts";
import { readCallerTools } from "./caller-tools.ts";
import { createItemEvents, type ItemOwner, itemOf } from "./item.ts";

export function createResponsesWriter(name: AnswerName, answer: Answer): AnswerWriter {
  let sequenceNumber = 0;
  /** How each block of text grows, once it has. */
  const growth = new Map<number, (text: string, number: number) => Buffer>();
  const send = (event: { type: string } & Json): Buffer =>
    responsesEvent({ ...event, sequence_number: sequenceNumber++ });
  const owner = ownerOf(name);
  const items = createItemEvents(owner);

  function grown(event: Extract<AnswerEvent, { kind: "block-grew" }>): Buffer[] {
    const { index, text, probabilities } = event;
    const { head } = blockAt(answer, index);
    if (head.kind !== "text" || probabilities !== undefined) return items.grew(index, head, event).map(send);
    let write = growth.get(index);
    if (write === undefined) {
      write = createNumberedTemplate((mark, number) =>
        responsesEvent({ ...items.textGrew(index, head, { text: mark }), sequence_number: number }),
      );
      growth.set(index, write);
    }
    return [write(text, sequenceNumber++)];
  }

  function write(event: AnswerEvent): Buffer[] {
    switch (event.kind) {
      case "answer-started": {
        const response = responseOf(name);
        return [send({ type: "response.created", response }), send({ type: "response.in_progress", response })];
      }
      case "block-started":
        return items.started(event.index, event.block).map(send);
      case "block-grew":
        return grown(event);
      case "block-stopped":
        return items.stopped(event.index, blockAt(answer, event.index)).map(send);
      case "tier-named":
      case "block-cited":
      case "block-sealed":
      case "answer-stopped":
        return [];
      default:
        return event satisfies never;
    }
  }

  return {
    write,
    close: (usage) => {
      const response = responseOf(name, { owner, answer, usage });
      // Its number is not used up, so that it can be made again.
      const type = `response.${String(response["status"])}`;
      return { rest: [], terminal: responsesEvent({ type, response, sequence_number: sequenceNumber }) };
    },
    failure: (fault, requestId) => {
      const { model, createdAtSeconds } = name;
      const identity = { id: `resp_${name.id}`, model, createdAtSeconds };
      return responsesFailure({ fault, requestId, identity, sequenceNumber });
    },
  };
}

export const wholeResponseAnswer: ClientSide["whole"] = (name, answer, usage) =>
  responseOf(name, { owner: ownerOf(name), answer, usage });

/** A call is told in the terms in which its tool was offered, so the request is looked at once for all of them. */
const ownerOf = ({ id, echo, seal }: AnswerName): ItemOwner => ({
  answerId: id,
  tools: readCallerTools(echo()),
  seal,
});

type Finished = { owner: ItemOwner; answer: Answer; usage: Usage | null };

/** The whole Response object; the official client and strict readers want every field, so what was not said is null. */
function responseOf(name: AnswerName, finished: Finished | null = null): Json {
  const asked = name.echo();
  const incomplete = finished === null ? null : INCOMPLETE[finished.answer.stop.reason];
  return {
    id: `resp_${name.id}`,
    object: "response",
    created_at: name.createdAtSeconds,
    status: finished === null ? "in_progress" : incomplete === null ? "completed" : "incomplete",
    access_programs: null,
    error: null,
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    instructions: asked["instructions"] ?? null,
    max_output_tokens: asked["max_output_tokens"] ?? null,
    metadata: asked["metadata"] ?? {},
    model: name.model,
    output: finished === null ? [] : outputOf(finished),
    parallel_tool_calls: asked["parallel_tool_calls"] ?? true,
    previous_response_id: null,
    reasoning: asked["reasoning"] ?? null,
    service_tier: finished === null ? null : tierOf(finished.answer),
    store: false,
    temperature: asked["temperature"] ?? null,
    text: asked["text"] ?? { format: { type: "text" } },
    tool_choice: asked["tool_choice"] ?? "auto",
    tools: asked["tools"] ?? [],
    top_p: asked["top_p"] ?? null,
    truncation: "disabled",
    usage: finished?.usage ? responsesUsageOf(finished.usage) : null,
  };
}

const outputOf = ({ owner, answer }: Finished): Json[] =>
  answer.blocks.map((block, index) => itemOf(owner, index, block));

const tierOf = ({ tier }: Answer): string | null => (tier === "ordinary" ? "default" : tier);

const INCOMPLETE: Record<Answer["stop"]["reason"], string | null> = {
  end: null,
  tool: null,
  stop_sequence: null,
  length: "max_output_tokens",
  refused: "content_filter",
};
