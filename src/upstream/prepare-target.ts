import type { ProviderDialect } from "../core/dialect.ts";
import { invariant } from "../core/invariant.ts";
import { type Quirks, quirksAt } from "./providers.ts";
import { type CredentialOf, type Target, UpstreamError } from "./upstream.ts";

/** What every call to a target has in common. */
export type PreparedTarget = { origin: string; path: string; headers: Record<string, string>; quirks: Quirks };

type Headers = Readonly<Record<string, string>>;

/** `headers` are what every call of this dialect needs, whatever the caller said. */
type Address = { path: string; credential: (secret: string, target: Target) => Headers; headers?: Headers };

const bearer = (secret: string, { baseUrl }: Target): Headers =>
  quirksAt(baseUrl).credentialHeader === "api-key" ? { "api-key": secret } : { authorization: `Bearer ${secret}` };
const headerKey = (secret: string): Headers => ({ "x-api-key": secret });

/** How each provider dialect is addressed. A dialect without a row cannot be called, so its routes are left out of every plan. */
const ADDRESSES: Partial<Record<ProviderDialect, Address>> = {
  chat: { path: "/chat/completions", credential: bearer },
  responses: { path: "/responses", credential: bearer },
  messages: { path: "/messages", credential: headerKey, headers: { "anthropic-version": "2023-06-01" } },
};

export const canCall = (dialect: ProviderDialect): boolean => ADDRESSES[dialect] !== undefined;

/**
 * Works out a target's address and headers once per catalogue: targets are made anew when it is loaded, so a credential that
 * was exchanged is picked up then. Only these headers go to a provider, and those a caller's format has listed.
 */
export function createPrepareTarget(credential: CredentialOf): (target: Target) => PreparedTarget {
  const prepared = new WeakMap<Target, PreparedTarget>();
  /** A credential that cannot be had is the operator's to mend; it must not look like a bug, nor keep other routes from serving. */
  const credentialOf = (target: Target): string | null => {
    try {
      return credential(target);
    } catch (cause) {
      throw new UpstreamError("misconfigured", cause);
    }
  };
  return (target) => {
    const known = prepared.get(target);
    if (known) return known;
    const address = ADDRESSES[target.dialect];
    invariant(address, `a call to a provider that speaks ${target.dialect}`);
    const { origin, pathname } = new URL(target.baseUrl);
    const secret = credentialOf(target);
    const made = {
      origin,
      quirks: quirksAt(target.baseUrl),
      path: `${pathname.replace(/\/$/, "")}${address.path}`,
      headers: {
        "content-type": "application/json",
        "user-agent": "tollgate",
        ...address.headers,
        ...(secret === null ? {} : address.credential(secret, target)),
      },
    };
    prepared.set(target, made);
    return made;
  };
}
