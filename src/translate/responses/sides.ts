import { RESPONSES_KEEP_ALIVE } from "../../wire/responses/responses-stream.ts";
import { RESPONSES_MEMBERS } from "../../wire/responses/members.ts";
import type { ClientSide, ProviderSide } from "../form/sides.ts";
import { formToResponses } from "./form-to-request.ts";
import { createResponsesWriter, wholeResponseAnswer } from "./form-to-answer.ts";
import { createResponsesReader, wholeResponse } from "./answer-to-form.ts";
import { responsesToForm } from "./request-to-form.ts";
import { readResponsesGenerated } from "./generated.ts";

export const responsesClient: ClientSide = {
  form: responsesToForm,
  toolNames: null,
  writer: createResponsesWriter,
  whole: wholeResponseAnswer,
  keepAlive: RESPONSES_KEEP_ALIVE,
};

export const responsesProvider: ProviderSide = {
  members: RESPONSES_MEMBERS,
  ordinaryPrice: { service_tier: "default" },
  request: formToResponses,
  reader: createResponsesReader,
  generated: readResponsesGenerated,
  counter: "sequence_number",
  whole: wholeResponse,
};
