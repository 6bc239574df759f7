import { chat } from "../chat/chat.ts";
import type { Dialect, Generation, JsonObject, StreamEncoder } from "../dialect.ts";
import { responses } from "../responses/responses.ts";

const SAFE = { filtered: false, severity: "safe" };
const PROMPT_FILTER: JsonObject = {
  choices: [],
  created: 0,
  id: "",
  model: "",
  object: "",
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: SAFE, violence: SAFE } }],
};
/** The filter that works beside the model has its last word when the model has had its own. */
const LATE_FILTER: JsonObject = {
  choices: [{ content_filter_offsets: {}, content_filter_results: {}, finish_reason: null, index: 0 }],
  created: 0,
  id: "",
  model: "",
  object: "",
};
const chunk = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`;

function encode(generation: Generation): StreamEncoder {
  const encoder = chat.encode(generation);
  return {
    ...encoder,
    opening: () => [chunk(PROMPT_FILTER), ...encoder.opening()],
    closing: () => [...encoder.closing().slice(0, -1), chunk(LATE_FILTER), ...encoder.closing().slice(-1)],
  };
}

/** Azure's chat, with the words of its filters. The addresses of deployments name the model, and what the body says of it is ignored. */
export const azureChat: Dialect = {
  ...chat,
  credentialHeaders: ["api-key", "authorization"],
  read: (body, named) => chat.read(named === undefined ? body : { ...body, model: named.model }),
  encode,
};

export const azureResponses: Dialect = { ...responses, credentialHeaders: ["api-key", "authorization"] };
