import { Fault } from "../../core/fault.ts";
import type { SignInThrottle } from "../sign-in-throttle.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";

/**
 * The same, as often as it may be tried. Who must wait gets no further: anybody can try, so neither a password is compared nor an entry of
 * its own written into the audit log, which keeps all of them.
 */
export function throttledSignIn(signIn: PasswordSignIn, throttle: SignInThrottle): PasswordSignIn {
  return {
    ...signIn,
    withPassword: (given, place, by) =>
      throttled(throttle, { subject: given.email, ...place }, () => signIn.withPassword(given, place, by)),
    setUp: (token, owner, place, by) =>
      throttled(throttle, { subject: `setup from ${place.address}`, ...place }, () =>
        signIn.setUp(token, owner, place, by),
      ),
  };
}

type Tried = { subject: string; address: string };

/** An attempt that counts as failed until it is done. */
export async function throttled<Done>(
  throttle: SignInThrottle,
  { subject, address }: Tried,
  work: () => Promise<Done>,
): Promise<Done> {
  const waitMs = await throttle.attempt(subject, address);
  if (waitMs > 0) throw tooMany(waitMs);
  const done = await work();
  await throttle.succeeded(subject, address);
  return done;
}

function tooMany(waitMs: number): Fault {
  const seconds = Math.ceil(waitMs / 1_000);
  return new Fault("rate_limit_exceeded", `Too many failed sign-ins. Please try again in ${seconds}s.`, {
    retryAfterSeconds: seconds,
  });
}
