import { modelNameIn } from "./media-tokens.ts";

/** How the vocabulary of a model is related to the one we count with (o200k). */
export type Vocabulary = {
  ours: boolean;
  /** The operator's word on how many tokens the model makes of one of ours. */
  tokenFactor: number;
};

/** Models that are known to have it. A name that is not here is taken to have another. */
const OURS = /^(?:gpt-4o|gpt-4\.[15]|gpt-5|gpt-oss|chatgpt-4o|o[134](?:-|$))/;

type Counted = { tokenFactor: number; routes: readonly { upstreamModel: string }[] };

export const vocabularyOf = ({ tokenFactor, routes }: Counted): Vocabulary => ({
  ours: routes.length > 0 && routes.every(({ upstreamModel }) => OURS.test(modelNameIn(upstreamModel))),
  tokenFactor,
});
