import { CONVERSE_MEMBERS } from "../../wire/converse/members.ts";
import type { ProviderSide } from "../form/sides.ts";
import { createConverseReader, wholeConverseAnswer } from "./answer-to-form.ts";
import { formToConverse } from "./form-to-request.ts";
import { readConverseGenerated } from "./generated.ts";

export const converseProvider: ProviderSide = {
  members: CONVERSE_MEMBERS,
  ordinaryPrice: {},
  request: formToConverse,
  reader: createConverseReader,
  generated: readConverseGenerated,
  whole: wholeConverseAnswer,
};
