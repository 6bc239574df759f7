/** Pictures, documents, and what moves or sounds. */
export type MediaCount = {
  images: number;
  /** Those of which the caller wants the small version. */
  smallImages: number;
  documents: number;
  /** A text makes no more tokens than it has characters. */
  largestDocumentCharacters: number;
  others: number;
};

/** What the input of a request comes to in tokens, before anybody has counted it. */
export type InputEstimate = {
  likely: number;
  /** No provider makes more of it, media apart. */
  most: number;
  /** What it shows; what a model makes of that is a matter of the model. Absent: nothing. */
  media?: MediaCount;
  /** What may be charged as output beside the answer, at most. */
  mostPredicted: number;
};
