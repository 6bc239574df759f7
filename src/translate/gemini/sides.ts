import { GEMINI_MEMBERS } from "../../wire/gemini/members.ts";
import type { ProviderSide } from "../form/sides.ts";
import { createGeminiReader, wholeGeminiAnswer } from "./answer-to-form.ts";
import { formToGemini } from "./form-to-request.ts";
import { readGeminiGenerated } from "./generated.ts";

export const geminiProvider: ProviderSide = {
  members: GEMINI_MEMBERS,
  ordinaryPrice: {},
  request: formToGemini,
  reader: createGeminiReader,
  generated: readGeminiGenerated,
  whole: wholeGeminiAnswer,
};
