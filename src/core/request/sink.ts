export type AnswerHead = { status: number; headers: Record<string, string> };

/** The caller's end of an answer. Handed on whole, not function by function: it may be a thing with methods. */
export type Sink = {
  /** True once the caller has left before the answer was finished. */
  isGone: () => boolean;
  /** Calls back once when the caller leaves early; at once if it already has. Replaces an earlier callback. */
  onGone: (callback: () => void) => void;
  /** Sends status and headers. After this a refusal can no longer have a status of its own. */
  begin: (head: AnswerHead) => void;
  /** Hands bytes over without waiting. False: the caller is slow, stop until `onDrained` calls back. */
  write: (bytes: Buffer) => boolean;
  /** Calls back when the caller has taken what was waiting. Set once, before the first write. */
  onDrained: (callback: () => void) => void;
  end: (bytes?: Buffer) => void;
};
