import type { Fault } from "../../../core/fault.ts";
import type { AnswerHead, Sink } from "../../../core/request/sink.ts";

type Options = {
  keyId: string;
  /** Where the money of the key is. */
  bucket: number;
  /** What its key stands under. */
  accounts: readonly string[];
  /** Whether the answer is sent as it comes, and not whole. */
  streamed: "yes" | "no";
  /** A plain request that may be asked for again is finished even when its caller has left. */
  detached: "yes" | "no";
  /** How much of the answer is remembered for a replay; 0 remembers nothing. */
  rememberBytes: number;
};

/** A caller's end that can also be closed from our side, and that can remember what was sent. */
export class WatchedSink implements Sink {
  readonly keyId: string;
  readonly bucket: number;
  readonly streamed: boolean;
  accounts: readonly string[];
  readonly #caller: Sink;
  readonly #detached: boolean;
  readonly #rememberBytes: number;
  #onGone: (() => void) | null = null;
  #cut: Fault | null = null;
  #signOfLife: Buffer | null = null;
  #answered = false;
  #complete = false;
  #sent: Buffer[] | null;
  #sentBytes = 0;

  constructor(caller: Sink, { keyId, bucket, accounts, streamed, detached, rememberBytes }: Options) {
    this.#caller = caller;
    this.keyId = keyId;
    this.bucket = bucket;
    this.accounts = accounts;
    this.streamed = streamed === "yes";
    this.#detached = detached === "yes";
    this.#rememberBytes = rememberBytes;
    this.#sent = rememberBytes > 0 ? [] : null;
  }

  /** Why we closed it ourselves; null when we did not. */
  cutBy(): Fault | null {
    return this.#cut;
  }

  /** Ends the answer from our side: the provider is stopped as if the caller had left. */
  cut(fault: Fault): void {
    if (this.#cut !== null) return;
    this.#cut = fault;
    this.#onGone?.();
  }

  /** How it ends is decided, and may be with the ledger: an operator who cancels it from here on changes nothing. */
  complete(): void {
    this.#complete = true;
  }

  isComplete(): boolean {
    return this.#complete;
  }

  /** These very bytes are sent in silence and are no part of the answer. */
  expectSignsOfLife(signOfLife: Buffer): void {
    this.#signOfLife = signOfLife;
  }

  /** Whether anything of the answer itself has been sent. */
  hasAnswered(): boolean {
    return this.#answered;
  }

  /** All that was sent, and what is about to be; null when it is not remembered or too much. */
  remembered(last: Buffer): Buffer | null {
    if (this.#sent === null || this.#sentBytes + last.length > this.#rememberBytes) return null;
    return Buffer.concat([...this.#sent, last]);
  }

  isGone(): boolean {
    return this.#cut !== null || (!this.#detached && this.#caller.isGone());
  }

  onGone(callback: () => void): void {
    this.#onGone = callback;
    if (this.#cut !== null) callback();
    else if (!this.#detached) this.#caller.onGone(callback);
  }

  onDrained(callback: () => void): void {
    this.#caller.onDrained(callback);
  }

  begin(head: AnswerHead): void {
    this.#caller.begin(head);
  }

  write(bytes: Buffer): boolean {
    if (bytes !== this.#signOfLife) this.#answered = true;
    this.#remember(bytes);
    return this.#caller.write(bytes);
  }

  end(bytes?: Buffer): void {
    this.#caller.end(bytes);
  }

  #remember(bytes: Buffer): void {
    if (this.#sent === null) return;
    this.#sentBytes += bytes.length;
    if (this.#sentBytes > this.#rememberBytes) this.#sent = null;
    // A copy, because a slice would keep the whole buffer it came in.
    else this.#sent.push(Buffer.from(bytes));
  }
}
