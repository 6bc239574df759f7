import { hash } from "node:crypto";
import { placeOf } from "../core/place-of.ts";

/** Attempts to sign in, counted before the password is looked at. */
export type FailureStore = {
  count: (
    subjects: readonly Buffer[],
    window: { atMs: number; windowMs: number },
  ) => Promise<{ failures: number; endsAtMs: number }[]>;
  clear: (subjects: readonly Buffer[]) => Promise<void>;
  /** Takes back one that was counted and did not fail. */
  forgive: (subjects: readonly Buffer[]) => Promise<void>;
  /** Whether the person has a session from there. */
  isKnownAddress: (email: string, address: string) => Promise<boolean>;
};

const WINDOW_MS = 15 * 60_000;
/** Of one email from one address. */
export const MOST_FAILURES = 10;
/** Of one address with any email, and of one email from any address. */
const MOST_SPREAD_FAILURES = 30;

export type SignInThrottle = {
  /** Counts an attempt. How long it must wait; 0: it may be made. */
  attempt: (email: string, address: string) => Promise<number>;
  succeeded: (email: string, address: string) => Promise<void>;
};

/**
 * Ten failures of an email from one address stop it there for the rest of a quarter of an hour; thirty from anywhere stop it
 * wherever the person has no session, so that nobody can lock others out of the browser they use. It makes no difference whether the email is known.
 */
export function createSignInThrottle({
  store,
  nowMs,
}: {
  store: Omit<FailureStore, "forgive">;
  nowMs: () => number;
}): SignInThrottle {
  return {
    attempt: async (email, address) => {
      const atMs = nowMs();
      const counts = await store.count(subjectsOf(email, address), { atMs, windowMs: WINDOW_MS });
      const [pair, from, of] = counts.map(({ endsAtMs }) => endsAtMs - atMs) as [number, number, number];
      const [pairCount = 0, fromCount = 0, ofCount = 0] = counts.map(({ failures }) => failures);
      if (pairCount > MOST_FAILURES) return pair;
      const isSpread = fromCount > MOST_SPREAD_FAILURES || ofCount > MOST_SPREAD_FAILURES;
      if (!isSpread || (await store.isKnownAddress(email, address))) return 0;
      return fromCount > MOST_SPREAD_FAILURES ? from : of;
    },
    succeeded: async (email, address) => {
      const [pair, , of] = subjectsOf(email, address);
      await store.clear([pair, of]);
    },
  };
}

/** Both, the address, and the email. */
const subjectsOf = (email: string, address: string): [Buffer, Buffer, Buffer] => {
  const place = placeOf(address);
  return [digestOf(`both ${place} ${email}`), digestOf(`address ${place}`), digestOf(`email ${email}`)];
};

const digestOf = (text: string): Buffer => hash("sha256", text, "buffer");
