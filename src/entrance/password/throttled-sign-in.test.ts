import { expect, test } from "vitest";
import type { FailureStore } from "../sign-in-throttle.ts";
import { createSignInThrottle, MOST_FAILURES } from "../sign-in-throttle.ts";
import { Fault } from "../../core/fault.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { throttledSignIn } from "./throttled-sign-in.ts";

/** Counts as the database does. */
function counting(): Omit<FailureStore, "forgive"> {
  const counts = new Map<string, number>();
  return {
    count: (subjects, { atMs, windowMs }) =>
      Promise.resolve(
        subjects.map((subject) => {
          const failures = (counts.get(subject.toString("hex")) ?? 0) + 1;
          counts.set(subject.toString("hex"), failures);
          return { failures, endsAtMs: atMs + windowMs };
        }),
      ),
    clear: (subjects) => Promise.resolve(subjects.forEach((subject) => counts.delete(subject.toString("hex")))),
    isKnownAddress: () => Promise.resolve(false),
  };
}

const BY = { actor: "anybody" };
const PLACE = { address: "192.0.2.1", agent: "", before: null };

test.each(["withPassword", "setUp"] as const)(
  "however often anybody tries %s, what is behind it is reached a few times",
  async (way) => {
    let reached = 0;
    const refused = (): Promise<never> => {
      reached++;
      throw new Fault("invalid_credentials", "The email or the password is wrong.");
    };
    const behind = { withPassword: refused, setUp: refused } as unknown as PasswordSignIn;
    const throttle = createSignInThrottle({ store: counting(), nowMs: () => 0 });
    const signIn = throttledSignIn(behind, throttle);
    const given = { email: "ann@acme.example", password: "a wrong phrase", name: null };
    const attempt = () =>
      way === "setUp" ? signIn.setUp("a token", given, PLACE, BY) : signIn.withPassword(given, PLACE, BY);

    const codes: string[] = [];
    for (let no = 0; no < 100; no++)
      await Promise.resolve()
        .then(attempt)
        .catch((error: unknown) => codes.push(error instanceof Fault ? error.code : "none"));

    expect([reached, codes.at(-1)]).toEqual([MOST_FAILURES, "rate_limit_exceeded"]);
  },
);
