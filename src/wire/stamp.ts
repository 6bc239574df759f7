import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const PURPOSE = "tollgate seal 1";
const KEY_BYTES = 32;
/** Enough that nobody guesses one, and short beside what it stands for. */
const STAMP_BYTES = 16;

/** What one request may have checked, so that a body full of forgeries costs about as much as a body full of words. */
const MOST_CHECKED_BYTES = 8 * 1024 * 1024;
/** What a check costs beside the text's length, in bytes of text. */
const CHECK_BYTES = 4_096;

/** Tells a text that was made here for a key, and brought back by its caller, from one that somebody else wrote. */
export type Stamp = {
  /** What it is made of, so that another thread can make the same. */
  secret: string;
  make: (text: string) => string;
  /** False for what was not made here, or for another key, and for all that is asked beyond a request's share of work. */
  holds: (text: string, stamp: string) => boolean;
};

/**
 * The stamp of one caller, for one request. Its key comes from the secret that the caller presents with every request, so that all
 * processes have it, it outlives them, and there is nothing to keep. Another secret of the same key is another stamp.
 */
export function createStamp(secret: string): Stamp {
  let key: Buffer | null = null;
  let checkedBytes = 0;
  /** The same texts are asked about again for every route that is tried. By stamps, which are short and hash well. */
  let known: Map<string, { text: string; holds: boolean }> | null = null;

  function make(text: string): string {
    key ??= Buffer.from(hkdfSync("sha256", secret, "", PURPOSE, KEY_BYTES));
    return createHmac("sha256", key).update(text).digest().subarray(0, STAMP_BYTES).toString("base64url");
  }

  function check(text: string, stamp: string): boolean {
    const expected = Buffer.from(make(text));
    const given = Buffer.from(stamp);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  function holds(text: string, stamp: string): boolean {
    const found = known?.get(stamp);
    if (found?.text === text) return found.holds;
    if (checkedBytes + text.length + CHECK_BYTES > MOST_CHECKED_BYTES) return false;
    checkedBytes += text.length + CHECK_BYTES;
    const answer = check(text, stamp);
    if (found === undefined) (known ??= new Map()).set(stamp, { text, holds: answer });
    return answer;
  }

  return { secret, make, holds };
}
