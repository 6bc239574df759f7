import { invariant } from "../core/invariant.ts";
import type { CallConvention, AnswerMode } from "./call-convention.ts";
import { DIALECT_CONVENTIONS } from "./dialect-conventions.ts";
import { type Quirks, quirksAt } from "./providers.ts";
import { type CredentialOf, type Target, UpstreamError } from "./upstream.ts";

/** What every call to a target has in common. */
export type PreparedTarget = {
  origin: string;
  paths: Readonly<Record<AnswerMode, string>>;
  /** With those of the credential, unless it has to be exchanged first. */
  headers: Record<string, string>;
  quirks: Quirks;
  secret: string | null;
  convention: CallConvention;
};

/**
 * Works out a target's address and headers once per catalogue: targets are made anew when it is loaded, so a credential that
 * was replaced is picked up then. Only these headers go to a provider, and those a caller's format has listed.
 */
export function createPrepareTarget(
  credential: CredentialOf,
  conventions = DIALECT_CONVENTIONS,
): (target: Target) => PreparedTarget {
  const prepared = new WeakMap<Target, PreparedTarget>();
  return (target) => {
    const known = prepared.get(target);
    if (known) return known;
    const convention = conventions[target.dialect];
    invariant(convention, `a call to a provider that speaks ${target.dialect}`);
    const { origin, pathname } = new URL(target.baseUrl);
    const secret = orMisconfigured(() => credential(target));
    const pathOf = (answerMode: AnswerMode): string =>
      pathname.replace(/\/$/, "") + convention.path(answerMode, target.upstreamModel);
    const made = {
      origin,
      quirks: quirksAt(target.baseUrl),
      paths: { whole: pathOf("whole"), streamed: pathOf("streamed") },
      headers: {
        "content-type": "application/json",
        "user-agent": "tollgate",
        ...convention.headers,
        ...(secret === null || convention.exchange ? {} : convention.credential(secret, target)),
      },
      secret,
      convention,
    };
    prepared.set(target, made);
    return made;
  };
}

/** A credential that cannot be had is the operator's to mend; it must not look like a bug, nor keep other routes from serving. */
export function orMisconfigured<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new UpstreamError("misconfigured", cause);
  }
}
