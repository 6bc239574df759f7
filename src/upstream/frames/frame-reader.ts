/** What the frames of one answer come to, as server-sent events. */
export type FrameReader = {
  /** The events of a frame, which may be none; null: it is not what this answer is made of. */
  events: (type: string, payload: Buffer) => Buffer | null;
  /** The event by which the rest of the way is told that the provider broke off. */
  exception: (said: FrameException) => Buffer;
  /** Whether the answer may end here: a stream of frames that is cut between two of them looks like one that has ended. */
  isWhole: () => boolean;
  /** What was kept back, once: it belongs before the end of a stream that broke off. */
  rest: () => Buffer;
};

/** How a provider says within a stream what it would have said by a status. */
export type FrameException = {
  /** As its refusals name it: `ThrottlingException`. */
  type: string;
  message: string;
};
