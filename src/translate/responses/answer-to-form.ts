import type { Usage } from "../../core/money/usage.ts";
import { readResponsesUsage } from "../../wire/responses/responses-usage.ts";
import type { AnswerEvent, Stop } from "../form/answer-form.ts";
import { createBlockNumbers } from "../form/block-numbers.ts";
import { citationsOfUrls } from "../form/citation.ts";
import type { Native } from "../form/native.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, objectOrNull, objectsOf, said, textOf, textOrNull } from "../form/read-json.ts";
import { RepeatedText } from "../form/repeated-text.ts";
import type { AnswerReader, ProviderSide } from "../form/sides.ts";
import { tierEvents } from "../form/tier.ts";
import { probabilitiesOf } from "../form/token-probability.ts";
import { readEvent, typeOf } from "../read-event.ts";
import { readResponse } from "./untouched.ts";
import { createPieces } from "./pieces.ts";

type Blocks = ReturnType<typeof createBlockNumbers<string>>;

// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one answer.
export function createResponsesReader(): AnswerReader {
  const blocks = createBlockNumbers<string>();
  const items = createItems(blocks);
  const repeated = new RepeatedText("sequence_number");
  /** The part that the event which can be repeated is a piece of. */
  let repeatedPart = "";
  let usage: Usage | null = null;
  let final: Json | null = null;

  function read(event: Json, type: string): AnswerEvent[] | null {
    switch (type) {
      case "response.created":
      case "response.in_progress":
        return [{ kind: "answer-started" }];
      case "response.output_item.added":
        return callStart(blocks, placeOf(event["output_index"]), objectOf(event["item"]));
      case "response.output_item.done":
        return items.done(event);
      case "response.completed":
      case "response.incomplete":
        final = objectOrNull(event["response"]);
        usage = readResponsesUsage(final);
        return final === null ? null : [];
      case "response.failed":
      case "error":
        return null;
      default:
        return items.grow(event, type);
    }
  }

  return {
    read: (bytes) => {
      const more = repeated.textIn(bytes);
      if (more !== null) return items.growPart(repeatedPart, more);
      const event = readEvent(bytes);
      if (event === null) return null;
      const type = typeOf(event) ?? "";
      const events = read(event, type);
      if (type === "response.output_text.delta" && isMoreText(events)) {
        repeatedPart = partOf(event);
        repeated.learn(bytes, textOf(event["delta"]));
      }
      return events;
    },
    ended: () => final !== null,
    close: () => {
      if (final === null) return null;
      return [...tierEvents(final["service_tier"]), ...endOf(blocks, final)];
    },
    usage: () => usage,
    inputUsage: () => null,
  };
}

/** Whether an event did nothing but grow its block, by words alone. */
function isMoreText(events: readonly AnswerEvent[] | null): boolean {
  const [event, ...others] = events ?? [];
  return event?.kind === "block-grew" && event.probabilities === undefined && others.length === 0;
}

/** The items of a stream, as they grow and when they are done. */
function createItems(blocks: Blocks) {
  const pieces = createPieces(blocks);
  /** The part of a summary that is being written, by the place of its item. */
  const summaryParts = new Map<string, unknown>();
  /** Items whose citations have come one by one. */
  const cited = new Set<string>();

  function start(name: string, kind: "text" | "refusal" | "thinking"): AnswerEvent[] {
    return blocks.has(name) ? [] : blocks.start(name, { kind });
  }

  /** Providers join their ids by accident more often than their places, so places are what is gone by. */
  function grow(event: Json, type: string): AnswerEvent[] {
    const { delta } = event;
    const place = placeOf(event["output_index"]);
    const part = partOf(event);
    switch (type) {
      case "response.output_text.delta":
        if (blocks.has(part)) return pieces.grow(part, delta, probabilitiesOf(event["logprobs"]));
        return [...start(part, "text"), ...pieces.grow(part, delta, probabilitiesOf(event["logprobs"]))];
      case "response.output_text.annotation.added":
        if (blocks.has(part)) cited.add(place);
        return blocks.cite(part, citationsOfUrls([event["annotation"]]));
      case "response.refusal.delta":
        return [...start(part, "refusal"), ...pieces.grow(part, delta)];
      case "response.function_call_arguments.delta":
        return pieces.grow(place, delta);
      case "response.reasoning_text.delta":
        return [...start(place, "thinking"), ...blocks.grow(place, delta)];
      case "response.reasoning_summary_text.delta":
        return summarise(place, event);
      default:
        return [];
    }
  }

  function summarise(place: string, { delta, summary_index: part }: Json): AnswerEvent[] {
    const begun = start(place, "thinking");
    const before = summaryParts.get(place);
    if (blocks.has(place)) summaryParts.set(place, part);
    const parted = before !== undefined && before !== part;
    return [...begun, ...blocks.grow(place, parted ? "\n\n" : ""), ...blocks.grow(place, delta)];
  }

  function done(event: Json): AnswerEvent[] {
    const place = placeOf(event["output_index"]);
    const item = objectOf(event["item"]);
    const unsaid = item["type"] === "message" ? pieces.growParts(place, item["content"]) : [];
    const ended = [...unsaid, ...endParts(blocks, place, cited.has(place) ? [] : objectsOf(item["content"]))];
    if (item["type"] === "function_call") {
      return [...ended, ...pieces.growRest(place, item["arguments"]), ...blocks.stop(place)];
    }
    if (item["type"] !== "reasoning") return ended;
    const native = nativeOf(item);
    if (native === null) return [...ended, ...blocks.stop(place)];
    return [...ended, ...start(place, "thinking"), ...blocks.seal(place, native), ...blocks.stop(place)];
  }

  return { grow, growPart: (part: string, text: string): AnswerEvent[] => pieces.grow(part, text), done };
}

function endOf(blocks: Blocks, final: Json): AnswerEvent[] {
  // A provider that said nothing on the way has still said it all in the end.
  const unsaid = blocks.begun() === 0 ? outputEvents(blocks, final) : [];
  return [...unsaid, ...blocks.stopAll(), { kind: "answer-stopped", stop: stopOf(final) }];
}

export const wholeResponse: ProviderSide["whole"] = (bytes) => {
  const response = readResponse(bytes);
  return {
    usage: readResponsesUsage(response),
    events: [
      ...tierEvents(response["service_tier"]),
      { kind: "answer-started" },
      ...outputEvents(createBlockNumbers<string>(), response),
      { kind: "answer-stopped", stop: stopOf(response) },
    ],
  };
};

/** A place as a name of its block. What is no number is no place, and may be an object that is no text either. */
const placeOf = (value: unknown): string => (typeof value === "number" ? String(value) : "nowhere");

const partOf = ({ output_index: item, content_index: part }: Json): string => `${placeOf(item)}.${placeOf(part)}`;

/** The end of all parts of an item, with the citations that nothing but the whole item tells of. */
function endParts(blocks: Blocks, place: string, parts: readonly Json[]): AnswerEvent[] {
  const inside = blocks.names().filter((name) => name.startsWith(`${place}.`));
  return inside.flatMap((name) => {
    const { annotations } = objectOf(parts[Number(name.slice(place.length + 1))]);
    return [...blocks.cite(name, citationsOfUrls(annotations)), ...blocks.stop(name)];
  });
}

/** Items that only this dialect has are of tools that are never asked for through here. */
function outputEvents(blocks: Blocks, response: Json): AnswerEvent[] {
  return objectsOf(response["output"]).flatMap((item, index) => {
    const place = String(index);
    switch (item["type"]) {
      case "message":
        return objectsOf(item["content"]).flatMap((part) => {
          const refused = part["type"] === "refusal";
          return [
            ...blocks.start(place, { kind: refused ? "refusal" : "text" }),
            ...blocks.grow(place, refused ? part["refusal"] : part["text"], probabilitiesOf(part["logprobs"])),
            ...blocks.cite(place, citationsOfUrls(part["annotations"])),
            ...blocks.stop(place),
          ];
        });
      case "function_call":
        return [...callStart(blocks, place, item), ...blocks.grow(place, item["arguments"]), ...blocks.stop(place)];
      case "reasoning":
        return thoughtEvents(blocks, place, item);
      default:
        return [];
    }
  });
}

function thoughtEvents(blocks: Blocks, place: string, item: Json): AnswerEvent[] {
  const native = nativeOf(item);
  const texts = (name: string): string[] => objectsOf(item[name]).map(({ text }) => textOf(text));
  const text = texts("content").join("") || texts("summary").join("\n\n");
  if (text === "" && native === null) return [];
  return [
    ...blocks.start(place, { kind: "thinking" }),
    ...blocks.grow(place, text),
    ...(native === null ? [] : blocks.seal(place, native)),
    ...blocks.stop(place),
  ];
}

function callStart(blocks: Blocks, place: string, item: Json): AnswerEvent[] {
  if (item["type"] !== "function_call") return [];
  const { call_id: id, name } = item;
  return blocks.start(place, { kind: "tool_call", id: textOf(id), name: textOf(name) });
}

/** What the provider must be given again with its thoughts; null when it keeps nothing of them here. */
function nativeOf({ id, encrypted_content: encrypted }: Json): Native | null {
  if (typeof encrypted !== "string") return null;
  return { dialect: "responses", value: said({ id: textOrNull(id), encrypted_content: encrypted }) };
}

function stopOf(response: Json): Stop {
  const { reason } = objectOf(response["incomplete_details"]);
  const stopped = response["status"] === "incomplete" ? (reason === "content_filter" ? "refused" : "length") : "end";
  return { reason: stopped, sequence: null };
}
