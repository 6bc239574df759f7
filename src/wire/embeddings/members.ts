import { foreignBody } from "../members/foreign-shapes.ts";
import { FOREIGN, oneOf, unpriced, unsupported } from "../members/refusal.ts";
import { type Shape, shapeOf } from "../members/shape.ts";

const ONE_ANSWER = { ...unsupported("Streamed embeddings"), unless: oneOf(false) };
const INPUT = unsupported("Other kinds of input", "Send the text as `input`.");

/** What a request for embeddings may hold, as the official client's types have it. What is embedded stands in `input` alone, so that it is all counted. */
export const EMBEDDINGS_MEMBERS: Shape = shapeOf({
  required: "model input",
  optional: "dimensions encoding_format user",
  inside: foreignBody,
  refused: {
    ...FOREIGN,
    service_tier: unpriced("A choice of tier"),
    stream: ONE_ANSWER,
    messages: INPUT,
    prompt: INPUT,
    inputs: INPUT,
    texts: INPUT,
    images: INPUT,
  },
});
