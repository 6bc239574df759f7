/** What the input of a request comes to in tokens, before anybody has counted it. */
export type InputEstimate = {
  likely: number;
  /** No provider makes more of it. */
  most: number;
  /** What may be charged as output beside the answer, at most. */
  mostPredicted: number;
};
