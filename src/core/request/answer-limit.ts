/**
 * An answer that grew past a bound of ours. The provider did nothing wrong, so that its route is not blamed; the message is written for
 * the caller and names the bound.
 */
export class AnswerLimitError extends Error {
  override readonly name = "AnswerLimitError";
}

/** A provider may write a letter of two bytes as an escape of six. */
const MOST_BYTES_REPEATED = 3;

/**
 * How large something of an answer may be. Some formats repeat the request in their answers, and its length is the caller's to choose: a
 * bound that did not grow with it could be met on purpose.
 */
export const boundBeside = (bytes: number, requestBytes: number): number => bytes + MOST_BYTES_REPEATED * requestBytes;
