import { Fault } from "../core/fault.ts";
import { tryAgainIn } from "../core/parsed-texts.ts";

/** What one request takes of what all requests of this process share. */
export type Share = {
  /** Throws when so many more bytes of its body would not fit. */
  requireRoom: (bytes: number) => void;
  /** Counts bytes of its body, or throws as above. */
  take: (bytes: number) => void;
  /** Its body is no longer kept. */
  giveBack: () => void;
  leave: () => void;
};

export type KeyShares = {
  /** Throws when the key has as many requests in progress as one key may have. */
  enter: (keyId: string) => Share;
};

type Options = {
  openRequests: number;
  /** Of one body, and of all bodies together. */
  bodyBytes: number;
  bodyBudgetBytes: number;
  /** How much of either one key may hold. */
  keySharePercent: number;
  /** Ends something that takes long: whether there was anything. */
  makeRoom: () => boolean;
};

/** Bounds what all requests and what those of one key hold at once, so that one key cannot lock the others out. */
export function createKeyShares(options: Options): KeyShares {
  const { openRequests, bodyBytes, bodyBudgetBytes, keySharePercent, makeRoom } = options;
  const shareOf = (whole: number): number => Math.floor((whole * keySharePercent) / 100);
  const mostRequests = Math.max(LEAST_SHARE, shareOf(openRequests));
  const keys = new Map<string, Held>();
  const whole: Whole = {
    keys,
    bytes: 0,
    // One body of the largest size always fits, or it could never be sent.
    mostBytes: Math.max(bodyBytes, shareOf(bodyBudgetBytes)),
    bodyBudgetBytes,
    makeRoom,
  };
  return {
    enter: (keyId) => {
      const held = keys.get(keyId) ?? { keyId, requests: 0, bytes: 0 };
      if (held.requests >= mostRequests) throw manyRequests(mostRequests);
      if (held.requests === 0) keys.set(keyId, held);
      held.requests++;
      return new KeyShare(whole, held);
    },
  };
}

type Held = { keyId: string; requests: number; bytes: number };

/** What all requests share. */
type Whole = {
  keys: Map<string, Held>;
  bytes: number;
  mostBytes: number;
  bodyBudgetBytes: number;
  makeRoom: () => boolean;
};

/** A class and not a closure per function: one is made for every request. */
class KeyShare implements Share {
  readonly #whole: Whole;
  readonly #held: Held;
  #taken = 0;

  constructor(whole: Whole, held: Held) {
    this.#whole = whole;
    this.#held = held;
  }

  requireRoom(bytes: number): void {
    const { mostBytes, bodyBudgetBytes, makeRoom } = this.#whole;
    if (this.#held.bytes + bytes > mostBytes) throw largeBodies(mostBytes);
    while (this.#whole.bytes + bytes > bodyBudgetBytes) if (!makeRoom()) throw noMemory(bodyBudgetBytes);
  }

  take(bytes: number): void {
    this.requireRoom(bytes);
    this.#held.bytes += bytes;
    this.#whole.bytes += bytes;
    this.#taken += bytes;
  }

  giveBack(): void {
    this.#held.bytes -= this.#taken;
    this.#whole.bytes -= this.#taken;
    this.#taken = 0;
  }

  leave(): void {
    this.giveBack();
    this.#held.requests--;
    if (this.#held.requests === 0) this.#whole.keys.delete(this.#held.keyId);
  }
}

/** A process with room for so few has none to divide: it is full before one key is. */
const LEAST_SHARE = 4;

const counted = (value: number): string => value.toLocaleString("en-US");

const manyRequests = (most: number): Fault =>
  new Fault(
    "rate_limit_exceeded",
    `This key has ${counted(most)} requests in progress, the limit per key. ${tryAgainIn(1)}`,
    { retryAfterSeconds: 1 },
  );

const largeBodies = (most: number): Fault =>
  new Fault(
    "rate_limit_exceeded",
    `The bodies of this key's requests in progress are limited to ${counted(most)} bytes in total. ${tryAgainIn(1)}`,
    { retryAfterSeconds: 1 },
  );

const noMemory = (budget: number): Fault =>
  new Fault(
    "service_unavailable",
    `The bodies of requests in progress use all of the gateway's ${counted(budget)} bytes. Try again.`,
    { retryAfterSeconds: 1 + Math.floor(Math.random() * 4) },
  );
