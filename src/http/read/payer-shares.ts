import { Fault } from "../../core/fault.ts";
import type { Payer } from "../../core/money/payer.ts";
import { tryAgainIn } from "../../core/request/parsed-texts.ts";

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

export type PayerShares = {
  /** Throws when the payer has as many requests in progress as one may have. */
  enter: (payer: Payer) => Share;
};

type Options = {
  openRequests: number;
  /** Of one body, and of all bodies together. */
  bodyBytes: number;
  bodyBudgetBytes: number;
  /** How much of either one payer may hold. */
  keySharePercent: number;
  /** Ends something that takes long: whether there was anything. */
  makeRoom: () => boolean;
};

/** Bounds what all requests and what those of one payer hold at once, so that nobody can lock the others out. */
export function createPayerShares(options: Options): PayerShares {
  const { openRequests, bodyBytes, bodyBudgetBytes, keySharePercent, makeRoom } = options;
  const shareOf = (whole: number): number => Math.floor((whole * keySharePercent) / 100);
  const mostRequests = Math.max(LEAST_SHARE, shareOf(openRequests));
  const payers = new Map<Payer, Held>();
  const whole: Whole = {
    payers,
    bytes: 0,
    // One body of the largest size always fits, or it could never be sent.
    mostBytes: Math.max(bodyBytes, shareOf(bodyBudgetBytes)),
    bodyBudgetBytes,
    makeRoom,
  };
  return {
    enter: (payer) => {
      const held = payers.get(payer) ?? { payer, requests: 0, bytes: 0 };
      if (held.requests >= mostRequests) throw manyRequests(mostRequests);
      if (held.requests === 0) payers.set(payer, held);
      held.requests++;
      return new PayerShare(whole, held);
    },
  };
}

type Held = { payer: Payer; requests: number; bytes: number };

/** What all requests share. */
type Whole = {
  payers: Map<Payer, Held>;
  bytes: number;
  mostBytes: number;
  bodyBudgetBytes: number;
  makeRoom: () => boolean;
};

/** A class and not a closure per function: one is made for every request. */
class PayerShare implements Share {
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
    if (this.#held.requests === 0) this.#whole.payers.delete(this.#held.payer);
  }
}

/** A process with room for so few has none to divide: it is full before one payer is. */
const LEAST_SHARE = 4;

const counted = (value: number): string => value.toLocaleString("en-US");

const manyRequests = (most: number): Fault =>
  new Fault(
    "rate_limit_exceeded",
    `You have ${counted(most)} requests in progress, the limit per key and per person. ${tryAgainIn(1)}`,
    { retryAfterSeconds: 1 },
  );

const largeBodies = (most: number): Fault =>
  new Fault(
    "rate_limit_exceeded",
    `The bodies of your requests in progress are limited to ${counted(most)} bytes in total. ${tryAgainIn(1)}`,
    { retryAfterSeconds: 1 },
  );

const noMemory = (budget: number): Fault =>
  new Fault(
    "service_unavailable",
    `The bodies of requests in progress use all of the gateway's ${counted(budget)} bytes. Try again.`,
    { retryAfterSeconds: 1 + Math.floor(Math.random() * 4) },
  );
