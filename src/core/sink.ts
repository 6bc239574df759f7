export type AnswerHead = { status: number; headers: Record<string, string> };

/** The caller's end of an answer. */
export type Sink = {
  /** Aborted when the caller has gone away before the answer was finished. */
  gone: AbortSignal;
  /** Sends status and headers. After this a refusal can no longer have a status of its own. */
  begin: (head: AnswerHead) => void;
  /** Hands bytes over without waiting. False: the caller is slow, stop until `drained`. */
  write: (bytes: Buffer) => boolean;
  /** Calls back once when the caller has taken what was waiting, or has gone. */
  drained: (callback: () => void) => void;
  end: (bytes?: Buffer) => void;
  /** Cuts the connection: the caller sees an unfinished answer, never a silent whole one. */
  cut: () => void;
};
