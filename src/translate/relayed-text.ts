import type { DeliveredText } from "./delivered-text.ts";
import { RepeatedText } from "./form/repeated-text.ts";

/**
 * What a relayed stream says, where an event repeats the one before but for its text: the text is added without a search for names, which
 * would find the same ones. Only an event is learned that went on untouched and had one text, of the answer.
 */
export class RelayedText {
  readonly #delivered: DeliveredText;
  readonly #repeated: RepeatedText;

  constructor(delivered: DeliveredText, counter: string | null = null) {
    this.#delivered = delivered;
    this.#repeated = new RepeatedText(counter);
  }

  /** Whether this was such an event. Every event must be shown to this first. */
  add(bytes: Buffer, start: number, end: number): boolean {
    const repeated = this.#repeated;
    if (!repeated.isLike(bytes, start, end)) return false;
    this.#delivered.addRange(bytes, repeated.start, repeated.end);
    return true;
  }

  /** `note` writes down what an event says that is not such a one; it may then be learned. */
  note(bytes: Buffer, start: number, end: number, note: () => void): void {
    const { pieces, answerBytes } = this.#delivered;
    note();
    const { pieces: now, last } = this.#delivered;
    // A text that is empty may be a thought.
    if (now !== pieces + 1 || this.#delivered.answerBytes === answerBytes) return;
    this.#repeated.learnAt(bytes.subarray(start, end), { start: last.start - start, end: last.end - start });
  }
}
