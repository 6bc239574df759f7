/** Who receives the bytes of a stream: any number of chunks, then exactly one of `end` and `fail`. */
export type ByteReader = {
  chunk: (bytes: Buffer) => void;
  end: () => void;
  fail: (error: Error) => void;
};

/** Bytes that arrive over time. Pushed, not pulled: a promise per chunk would cost more than the chunk. */
export type ByteStream = {
  /** Starts the flow. Called once. */
  read: (reader: ByteReader) => void;
  pause: () => void;
  resume: () => void;
  /** Stops the sender. The reader hears nothing more. */
  cancel: () => void;
};
