import type { AnsweredBlock } from "../form/answer-form.ts";
import { urlCitation } from "../form/citation.ts";
import type { Json } from "../../core/bytes/json.ts";

/** Text or a refusal, as a part of a message. */
export function partOf(block: AnsweredBlock): Json {
  const { head, text, probabilities } = block;
  if (head.kind === "refusal") return { type: "refusal", refusal: text };
  return { type: "output_text", text, annotations: annotationsOf(block), logprobs: [...probabilities] };
}

/** What is told of a part once it is whole; `at` is its place. */
export function partFinished(at: Json, block: AnsweredBlock): ({ type: string } & Json)[] {
  const { head, text, probabilities } = block;
  const refused = head.kind === "refusal";
  const said = refused ? { refusal: text } : { text, logprobs: probabilities };
  const sources = annotationsOf(block).map((annotation, number) => ({
    type: "response.output_text.annotation.added",
    ...at,
    annotation_index: number,
    annotation,
  }));
  return [
    ...sources,
    { type: `response.${refused ? "refusal" : "output_text"}.done`, ...at, ...said },
    { type: "response.content_part.done", ...at, part: partOf(block) },
  ];
}

/** A message holds one part here, so that what it rests on is counted from its own beginning. */
function annotationsOf({ citations, text }: AnsweredBlock): Json[] {
  const within = { offset: 0, length: text.length };
  return citations.map((citation) => ({ type: "url_citation", ...urlCitation(citation, within) }));
}
