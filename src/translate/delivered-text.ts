const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LAST_PLAIN = 0x7e;
const FIRST_BYTES = 512;
const FEW_BYTES = 32;

/** As much as is counted at most. Of a longer text, blocks of all of it are kept by chance, so that nobody can write what is not counted. */
const KEPT_BYTES = 262_144;
const BLOCK_BYTES = 1_024;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g;

/**
 * What a stream has said so far. It is kept for the one case in which nobody else can say what the answer came to: a stream
 * that ended before the provider told its usage. Text is kept as it stands in JSON, so that nothing is parsed until then.
 */
export class DeliveredText {
  #kept: Buffer = Buffer.alloc(0);
  #keptBytes = 0;
  /** One of so many blocks is kept. */
  #oneOf = 1;
  /** The block of its group that is kept, the one that is being filled, and how much of that is to come. */
  #chosen = 0;
  #block = 0;
  #blockLeft = 0;
  #toldTokens = 0;
  #toldBytes: number | null = null;
  /** All bytes of text that came, kept or not. */
  length = 0;
  /** The share of those that was thought and not said. */
  thoughtBytes = 0;

  /** What was said, and called: text that a model's thoughts lead up to. */
  get answerBytes(): number {
    return this.length - this.thoughtBytes;
  }

  /** The provider has counted so many tokens of output by now. The same number again says nothing of what came since. */
  told(tokens: number): void {
    if (tokens <= this.#toldTokens && this.#toldBytes !== null) return;
    this.#toldTokens = tokens;
    this.#toldBytes = this.length;
  }

  /** The share of the text that came after its provider last counted more; 0 where it never counted. */
  shareSinceTold(): number {
    return this.#toldBytes === null || this.length === 0 ? 0 : 1 - this.#toldBytes / this.length;
  }

  /** Adds a text of the answer as it stands in these bytes. */
  addRange(bytes: Buffer, start: number, end: number): void {
    this.#append(bytes, start, end);
  }

  addText(text: string, kind: "answer" | "thought" = "answer"): void {
    if (text === "") return;
    const before = this.length;
    if (!this.#appendPlain(text)) {
      const escaped = Buffer.from(JSON.stringify(text));
      this.#append(escaped, 1, escaped.length - 1);
    }
    if (kind === "thought") this.thoughtBytes += this.length - before;
  }

  /** The text, or as much of it as was kept. */
  text(): string {
    const kept = this.#kept.toString("utf8", 0, this.#keptBytes);
    try {
      return JSON.parse(`"${kept}"`) as string;
    } catch {
      // A block may end amid an escape.
      return kept.replaceAll(ESCAPE, (escape) => JSON.parse(`"${escape}"`) as string);
    }
  }

  /** How many times longer the whole text is than what was kept of it. */
  scale(): number {
    return this.#keptBytes === 0 ? 1 : this.length / this.#keptBytes;
  }

  /** A word that stands in JSON as it is, letter for letter. False: it is not one, and nothing was added. */
  #appendPlain(text: string): boolean {
    const { length } = text;
    if (length > FEW_BYTES || this.#oneOf > 1) return false;
    const kept = this.#roomFor(length);
    if (kept === null) return false;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code < SPACE || code > LAST_PLAIN || code === QUOTE || code === BACKSLASH) return false;
      kept[this.#keptBytes + at] = code;
    }
    this.length += length;
    this.#keptBytes += length;
    return true;
  }

  #append(bytes: Buffer, start: number, end: number): void {
    this.length += end - start;
    if (this.#oneOf === 1 && this.#keptBytes + end - start <= KEPT_BYTES) this.#keep(bytes, start, end);
    else this.#keepSome(bytes, start, end);
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    const kept = this.#roomFor(end - start);
    if (kept === null) return;
    // A word takes longer to hand to the runtime than to copy.
    if (end - start > FEW_BYTES) bytes.copy(kept, this.#keptBytes, start, end);
    else for (let at = start; at < end; at++) kept[this.#keptBytes + at - start] = bytes[at] as number;
    this.#keptBytes += end - start;
  }

  #keepSome(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at < end;) {
      if (this.#blockLeft === 0) this.#nextBlock();
      const next = Math.min(end, at + this.#blockLeft);
      if (this.#block === this.#chosen) this.#keep(bytes, at, next);
      this.#blockLeft -= next - at;
      at = next;
    }
  }

  #nextBlock(): void {
    if (this.#keptBytes + BLOCK_BYTES > KEPT_BYTES) this.#thin();
    this.#blockLeft = BLOCK_BYTES;
    this.#block = (this.#block + 1) % this.#oneOf;
    if (this.#block === 0) this.#chosen = Math.floor(Math.random() * this.#oneOf);
  }

  /** Of every two blocks one stays. */
  #thin(): void {
    let to = 0;
    for (let at = 0; at + 2 * BLOCK_BYTES <= this.#keptBytes; at += 2 * BLOCK_BYTES) {
      const from = Math.random() < 0.5 ? at : at + BLOCK_BYTES;
      this.#kept.copyWithin(to, from, from + BLOCK_BYTES);
      to += BLOCK_BYTES;
    }
    this.#keptBytes = to;
    this.#oneOf *= 2;
    this.#block = this.#oneOf - 1;
  }

  /** What is kept, with room for so many bytes more; null when they are more than is kept. */
  #roomFor(bytes: number): Buffer | null {
    const needed = this.#keptBytes + bytes;
    if (needed > KEPT_BYTES) return null;
    if (needed > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.max(FIRST_BYTES, needed, this.#kept.length * 2));
      this.#kept.copy(grown, 0, 0, this.#keptBytes);
      this.#kept = grown;
    }
    return this.#kept;
  }
}
