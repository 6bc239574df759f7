const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
const FIRST_BYTES = 512;

/** More than any answer a published model gives; past it the rest is taken to be like what came before. */
const KEPT_BYTES = 1_048_576;

/**
 * What a stream has said so far. It is kept for the one case in which nobody else can say what the answer came to: a stream
 * that ended before the provider told its usage. Text is kept as it stands in JSON, so that nothing is parsed until then.
 */
export class DeliveredText {
  #kept: Buffer = Buffer.alloc(0);
  #keptBytes = 0;
  /** All bytes of text that came, kept or not. */
  length = 0;
  /** The share of those that was thought and not said. */
  thoughtBytes = 0;

  /** What was said, and called: text that a model's thoughts lead up to. */
  get answerBytes(): number {
    return this.length - this.thoughtBytes;
  }

  /** Adds the text values of all these members. */
  addMembers(event: Buffer, names: readonly Buffer[]): void {
    for (const name of names) this.#addMember(event, name);
  }

  /** Adds the text values of the first of these members that has any: some providers say a thought under two names. */
  addThoughts(event: Buffer, names: readonly Buffer[]): void {
    const before = this.length;
    for (const name of names) {
      this.#addMember(event, name);
      if (this.length > before) break;
    }
    this.thoughtBytes += this.length - before;
  }

  addText(text: string, kind: "answer" | "thought" = "answer"): void {
    if (text === "") return;
    const escaped = Buffer.from(JSON.stringify(text));
    this.#append(escaped, 1, escaped.length - 1);
    if (kind === "thought") this.thoughtBytes += escaped.length - 2;
  }

  /** The text, or as much of it as was kept. */
  text(): string {
    const kept = this.#kept.toString("utf8", 0, this.#keptBytes);
    try {
      return JSON.parse(`"${kept}"`) as string;
    } catch {
      return kept;
    }
  }

  /** How many times longer the whole text is than what was kept of it. */
  scale(): number {
    return this.#keptBytes === 0 ? 1 : this.length / this.#keptBytes;
  }

  #addMember(event: Buffer, name: Buffer): void {
    for (let at = event.indexOf(name); at !== -1; at = event.indexOf(name, at)) {
      at += name.length;
      while (event[at] === SPACE || event[at] === COLON) at++;
      if (event[at] !== QUOTE) continue;
      const start = at + 1;
      at = endOfText(event, start);
      this.#append(event, start, at);
    }
  }

  #append(bytes: Buffer, start: number, end: number): void {
    this.length += end - start;
    const room = KEPT_BYTES - this.#keptBytes;
    if (end - start > room) return;
    const needed = this.#keptBytes + end - start;
    if (needed > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.max(FIRST_BYTES, needed, this.#kept.length * 2));
      this.#kept.copy(grown, 0, 0, this.#keptBytes);
      this.#kept = grown;
    }
    bytes.copy(this.#kept, this.#keptBytes, start, end);
    this.#keptBytes = needed;
  }
}

/** The closing quote of a JSON text that begins here. */
function endOfText(event: Buffer, start: number): number {
  let at = start;
  while (at < event.length && event[at] !== QUOTE) at += event[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, event.length);
}
