/** A fault by the types of an official client that real providers have too, and the recording that shows it. */
type Allowance = { words: RegExp; recording: string; reason: string };

/** All that an answer written by us may have against it. */
export const ALLOWANCES: readonly Allowance[] = [
  {
    words: /^responses(Event|Answer) (response|\.) must have required property 'output_text'$/,
    recording: "responses/openai-phase.1.json",
    reason: "The client adds this member itself; no server sends it.",
  },
  {
    words: /^responses(Event|Answer) (response\/)?usage must be object$/,
    recording: "responses/openai-error.1.chunks.txt",
    reason: "Where there is no usage, as before the end, the reference provider says so with null.",
  },
  {
    words: /^responsesEvent response\/error(\/code must be equal to one of the allowed values| must )/,
    recording: "responses/openai-error.1.chunks.txt",
    reason: "The reference provider has codes that its types do not list, and so have we.",
  },
];
