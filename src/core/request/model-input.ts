/** A picture, a document, or something that moves or sounds, that the model is shown. Providers price these by what they show, not by the letters that carry them. */
export type ModelMedia = {
  kind: "image" | "document" | "other";
  /** The caller asked for the small version of a picture. */
  detail: "low" | "high";
  /** How many characters of the body carry it; 0 when the provider fetches it from elsewhere. */
  carriedCharacters: number;
};

/** What a model reads of a request, without the JSON around it. */
export type ModelInput = {
  /** Instructions, messages, calls and results, in order. */
  texts: readonly string[];
  /** What providers write as JSON again: tools, schemas, what tools were called with. */
  json: readonly string[];
  /** Names and values within that JSON. Some providers indent it, so each may take tokens beyond its bytes. */
  jsonValues: number;
  /** Text that is charged as output where the answer does not use it. */
  predicted: readonly string[];
  /** Characters of reasoning that only its provider can read. */
  sealedCharacters: number;
  media: readonly ModelMedia[];
  messages: number;
  tools: number;
  /** Tools whose description the provider writes itself. */
  nativeTools: number;
};
