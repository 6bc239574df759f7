import { isObject } from "../../core/bytes/is-object.ts";
import { PLAIN_TIER } from "../../core/money/rate-rows.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import {
  RESPONSES_KEEP_ALIVE,
  type ResponseIdentity,
  responsesEvent,
  responsesFailure,
} from "../../wire/responses/responses-stream.ts";
import { usageToShow } from "../../wire/show-usage.ts";
import { readResponsesUsage } from "../../wire/responses/responses-usage.ts";
import { type AnswerStage, FAILED, PASS, type PlainAnswer, TERMINAL, type Verdict } from "../answer-stage.ts";
import { editMembers } from "../../wire/json/edit-members.ts";
import { findMembers } from "../../wire/json/members.ts";
import { createEventName } from "../event-name.ts";
import { createResponsesRuns } from "./provider-runs.ts";
import { readGeneratedBeside } from "./generated.ts";
import { OutputMeter } from "../output-meter.ts";
import { readAnswer } from "../read-answer.ts";
import { readEvent, typeOf } from "../read-event.ts";
import type { SameFormat, Told } from "../translator.ts";
import { responsesUpstreamRequest } from "./upstream-request.ts";

/** A provider that keeps the format to the letter also knows how to be asked for its ordinary price alone. */
const DEFAULT_TIER = Object.freeze({ service_tier: `"default"` });

/** Responses to responses where the provider keeps the stream rules itself: bytes pass as they came. [interface decision 32] */
export const responsesUntouched: SameFormat = { request: writeRequest, plain: readPlain, stage: createStage };

function writeRequest(request: GenerationRequest, told: Told): Buffer {
  return responsesUpstreamRequest(request, told, request.tier === PLAIN_TIER ? DEFAULT_TIER : {});
}

/** The whole answer is checked for being one; what is forwarded are the provider's own bytes. */
function readPlain(bytes: Buffer): PlainAnswer {
  const response = readResponse(bytes);
  return { bytes, usage: readResponsesUsage(response), shown: response["usage"] };
}

/** A Response that says it failed is no answer, though it came with status 200. */
export function readResponse(bytes: Buffer): Record<string, unknown> {
  return readAnswer(bytes, {
    kind: "a completed response",
    isOne: ({ object, output, status }) =>
      object === "response" && Array.isArray(output) && status !== "failed" && status !== "cancelled",
  });
}

// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one stream.
function createStage({ bytes: body }: GenerationRequest): AnswerStage {
  let completed: LastEvent | null = null;
  let usage: Usage | null = null;
  let identity: ResponseIdentity | null = null;
  let passedEvents = 0;
  /** Read only when the stream fails, so that no event is parsed for its number alone. */
  let lastPassed: Buffer | null = null;
  const meter = new OutputMeter(readGeneratedBeside(body), "sequence_number");
  const runs = createResponsesRuns();
  const eventName = createEventName();

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
    if (meter.again(bytes, start, end)) return pass(text);
    const type = eventName(bytes, start, end) ?? typeOf(readEvent(text)) ?? "";
    switch (type) {
      case "response.completed":
      case "response.incomplete":
        return ending(text);
      case "response.failed":
      case "error":
        return FAILED;
      case "response.output_item.added":
      case "response.output_item.done":
        itemEvent(type, text, readEvent(text));
        break;
      case "response.created":
        created(text, readEvent(text));
        break;
      default:
        if (!saysNothing(type, text)) meter.note(text);
    }
    return pass(text);
  }

  function created(text: Buffer, data: Record<string, unknown> | null): void {
    identity = identityOf(data?.["response"]);
    meter.note(text, data);
  }

  function itemEvent(type: string, text: Buffer, data: Record<string, unknown> | null): void {
    meter.note(text, data);
    if (data !== null) runs[type.endsWith(".added") ? "began" : "ended"](data);
  }

  function pass(text: Buffer): Verdict {
    passedEvents++;
    lastPassed = text;
    return PASS;
  }

  /** This event repeats the whole answer and carries its usage: it is metered, and kept back until it is paid. */
  function ending(text: Buffer): Verdict {
    const data = readEvent(text);
    if (!isObject(data?.["response"])) return FAILED;
    meter.note(text, data);
    usage = readResponsesUsage(data["response"]);
    completed = { event: Buffer.from(text), told: data["response"]["usage"] };
    return TERMINAL;
  }

  return {
    event,
    close: () => null,
    terminal: (charged = usage ?? undefined) => completed && showing(completed, charged),
    usage: () => usage,
    inputUsage: () => null,
    providerRuns: runs.soFar,
    delivered: meter.delivered,
    keepAlive: RESPONSES_KEEP_ALIVE,
    failure: (fault, requestId) =>
      responsesFailure({ fault, requestId, identity, sequenceNumber: numberAfter(lastPassed) ?? passedEvents }),
  };
}

const NO_OUTPUT = Buffer.from('"output":[]');

/** Repeats the request, perhaps some MiB of it, which is not worth parsing for that. */
const saysNothing = (type: string, text: Buffer): boolean =>
  (type === "response.in_progress" || type === "response.queued") && text.includes(NO_OUTPUT);

/** The number of the event that follows this one; null when it says none. */
function numberAfter(passed: Buffer | null): number | null {
  const last = passed && readEvent(passed)?.["sequence_number"];
  return typeof last === "number" ? last + 1 : null;
}

/** `told`: its usage, as the provider says it. */
type LastEvent = { event: Buffer; told: unknown };

function showing({ event, told }: LastEvent, charged: Usage | undefined): Buffer {
  const shown = charged === undefined ? null : usageToShow("responses", told, charged);
  return shown === null ? event : withUsage(event, shown);
}

const DATA = Buffer.from("data: ");

/** The last event with another usage. It may repeat some MiB of the request: as providers write it, every other byte stays as it came. */
function withUsage(event: Buffer, usage: object): Buffer {
  const from = event.indexOf(DATA) + DATA.length;
  const json = event.subarray(from, event.length - 2);
  const { list, duplicate } = isLoneData(event, from) ? findMembers(json) : NO_MEMBERS;
  const response = list.find(({ name }) => name === "response");
  if (response === undefined || duplicate !== null) return rewritten(event, usage);
  const { valueStart, valueEnd } = response;
  const value = json.subarray(valueStart, valueEnd);
  const edited = editMembers(value, findMembers(value), { usage: JSON.stringify(usage) });
  return Buffer.concat([event.subarray(0, from + valueStart), edited, event.subarray(from + valueEnd)]);
}

const NO_MEMBERS = { list: [], duplicate: null };
const NEW_LINE = 0x0a;
const RETURN = 0x0d;

/** Whether it has one line of data and ends after it, with at most its name before. */
function isLoneData(event: Buffer, from: number): boolean {
  const start = from - DATA.length;
  const isFirst = start === 0 || (event.indexOf("event:") === 0 && event.indexOf(NEW_LINE) === start - 1);
  return isFirst && event.indexOf(NEW_LINE, from) === event.length - 2 && !event.includes(RETURN);
}

function rewritten(event: Buffer, usage: object): Buffer {
  const { response, type, ...data } = readEvent(event) ?? {};
  return responsesEvent({ ...data, type: String(type), response: { ...(response as object), usage } });
}

export function identityOf(response: unknown): ResponseIdentity | null {
  if (!isObject(response) || typeof response["id"] !== "string") return null;
  const { id, model, created_at: createdAt } = response;
  return {
    id,
    model: typeof model === "string" ? model : "",
    createdAtSeconds: typeof createdAt === "number" ? createdAt : 0,
  };
}
