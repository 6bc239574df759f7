import { isObject } from "../../core/bytes/is-object.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { editMembers } from "../../wire/json/edit-members.ts";
import { findMembers } from "../../wire/json/members.ts";
import {
  RESPONSES_KEEP_ALIVE,
  type ResponseIdentity,
  responsesEvent,
  responsesFailure,
} from "../../wire/responses/responses-stream.ts";
import { usageToShow } from "../../wire/show-usage.ts";
import { readResponsesUsage } from "../../wire/responses/responses-usage.ts";
import { type AnswerStage, DROP, FAILED, type PlainAnswer, TERMINAL, type Verdict } from "../answer-stage.ts";
import { createResponsesRuns } from "./provider-runs.ts";
import { readGeneratedBeside } from "./generated.ts";
import { OutputMeter } from "../output-meter.ts";
import { readEvent, typeOf } from "../read-event.ts";
import { createSteadyIds } from "./steady-ids.ts";
import { identityOf, readResponse } from "./untouched.ts";
import type { SameFormat } from "../translator.ts";
import { responsesUpstreamRequest } from "./upstream-request.ts";

/**
 * Responses to responses where the provider speaks the format with an accent: ids that change from event to event, events
 * without a name or a number. Repairs what makes official clients give up, and writes the public model id. [interface decision 32]
 */
export const responsesNormalised: SameFormat = {
  request: responsesUpstreamRequest,
  plain: readPlain,
  stage: createStage,
};

function readPlain(bytes: Buffer, request: GenerationRequest): PlainAnswer {
  const response = readResponse(bytes);
  const edited = editMembers(bytes, findMembers(bytes), { model: JSON.stringify(request.model) });
  return { bytes: edited, usage: readResponsesUsage(response), shown: response["usage"] };
}

function createStage(request: GenerationRequest): AnswerStage {
  let completed: Record<string, unknown> | null = null;
  let usage: Usage | null = null;
  let identity: ResponseIdentity | null = null;
  let sequenceNumber = 0;
  const steadyIds = createSteadyIds();
  const runs = createResponsesRuns();
  const meter = new OutputMeter(readGeneratedBeside(request.bytes));

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = bytes.subarray(start, end);
    const data = readEvent(text);
    const type = typeOf(data);
    if (data === null) return FAILED;
    meter.note(text, data);
    if (type === null) return DROP;
    if (type === "response.output_item.added") runs.began(data);
    if (type === "response.output_item.done") runs.ended(data);
    if (type === "response.failed" || type === "error") return FAILED;

    const repaired = { ...repair(data), type, sequence_number: sequenceNumber };
    if (type !== "response.completed" && type !== "response.incomplete") {
      sequenceNumber++;
      return responsesEvent(repaired);
    }
    if (!isObject(data["response"])) return FAILED;
    usage = readResponsesUsage(data["response"]);
    completed = repaired;
    return TERMINAL;
  }

  function terminal(charged: Usage | null = usage): Buffer | null {
    if (completed === null) return null;
    return showingUsage(completed, charged) ?? responsesEvent({ ...completed, type: String(completed["type"]) });
  }

  function repair(data: Record<string, unknown>): Record<string, unknown> {
    const steady = steadyIds(data);
    if (!isObject(steady["response"])) return steady;
    const response = { ...steady["response"], model: request.model };
    identity ??= identityOf(response);
    return { ...steady, response };
  }

  return {
    event,
    close: () => null,
    terminal,
    usage: () => usage,
    inputUsage: () => null,
    providerRuns: runs.soFar,
    delivered: meter.delivered,
    keepAlive: RESPONSES_KEEP_ALIVE,
    failure: (fault, requestId) => responsesFailure({ fault, requestId, identity, sequenceNumber }),
  };
}

/** The last event with the usage that is charged; null when it shows that already. */
function showingUsage(data: Record<string, unknown>, charged: Usage | null): Buffer | null {
  const { response, type } = data;
  const shown = isObject(response) && charged !== null ? usageToShow("responses", response["usage"], charged) : null;
  if (shown === null) return null;
  return responsesEvent({ ...data, type: String(type), response: { ...(response as object), usage: shown } });
}
