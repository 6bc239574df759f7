import { randomInt } from "node:crypto";

/** The consonants of RFC 8628, 6.1: no vowels, so that no words appear, and no letters that are taken for others. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CHARACTERS = 8;

/** 20^8 possible codes. It lives for minutes, and few guesses are allowed from one place. */
export const createUserCode = (): string =>
  Array.from({ length: CHARACTERS }, () => LETTERS[randomInt(LETTERS.length)]).join("");

const CODE = new RegExp(`^[${LETTERS}]{${CHARACTERS}}$`);

/** What somebody typed, without what they may add or leave out; null: it is no code. */
export function readUserCode(typed: string): string | null {
  const code = typed.slice(0, 40).toUpperCase().replaceAll(/[\s-]/g, "");
  return CODE.test(code) ? code : null;
}

/** As people read it: `ZDFP-BCGM`. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** A client that waits for its person to sign in. */
export type DeviceGrant = {
  id: string;
  userCode: string;
  createdAtMs: number;
  expiresAtMs: number;
  /** Null: not known. */
  address: string | null;
  agent: string;
};

export type DeviceGrantOrder = DeviceGrant & {
  deviceDigest: Buffer;
  /** What counts as one address; null: not known. */
  place: string | null;
};

export type DevicePoll =
  | { kind: "pending" | "too_fast" | "denied" | "expired" }
  /** Each is approved to one poll. */
  | { kind: "approved"; grant: DeviceGrant; personId: string };

export type DeviceGrantStore = {
  /** The time of the database. A client starts, polls and is approved at any process, and the clocks of these may differ. */
  nowMs: () => Promise<number>;
  /** `code_taken`: another has this user code. `too_many`: as many wait as may from one place, or overall and most of them from there. */
  add: (
    order: DeviceGrantOrder,
    most: { atPlace: number; overall: number },
  ) => Promise<"added" | "code_taken" | "too_many">;
  /** Finds one that waits by what a person typed, as often as a code may be typed; beyond that it is denied. */
  enter: (userCode: string, times: { atMs: number; most: number }) => Promise<DeviceGrant | null>;
  /** Somebody signed in with the code. The last one to do so may decide. */
  identify: (id: string, who: { personId: string; answerDigest: Buffer; atMs: number }) => Promise<DeviceGrant | null>;
  /** Null: nothing waits for this browser. */
  decide: (
    answerDigest: Buffer,
    decision: { verdict: "approved" | "denied"; atMs: number },
  ) => Promise<{ grant: DeviceGrant; personId: string } | null>;
  poll: (deviceDigest: Buffer, times: { atMs: number; leastMs: number }) => Promise<DevicePoll>;
  /** What an approval was to lead to failed; the next poll may try again. */
  giveBack: (id: string) => Promise<void>;
};
