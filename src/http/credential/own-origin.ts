import type { IncomingMessage } from "node:http";
import type { Address } from "../../core/description.ts";
import { Fault } from "../../core/fault.ts";

/** Throws when a page of another site had a browser send this. `unnamed`: what becomes of a request that names no origin. */
export type RequireOwnOrigin = (request: Pick<IncomingMessage, "headers">, unnamed?: "allowed" | "refused") => void;

type Parts = {
  publicUrl: () => string;
  /** `guessed`: the listener does not know by which name browsers reach it, so what they send as `Host` counts. */
  address: Address;
};

/** What browsers say of a request that no other site caused. */
const OWN_SITES: readonly (string | undefined)[] = [undefined, "same-origin", "none"];

/**
 * Browsers name the origin in every POST and DELETE, and pages cannot change what they name. Other clients name none and are let through
 * where nothing is spent: they hold no cookie that somebody else could use.
 */
export const createRequireOwnOrigin =
  ({ publicUrl, address }: Parts): RequireOwnOrigin =>
  ({ headers }, unnamed = "allowed") => {
    const { origin, host } = headers;
    if (origin === undefined) {
      if (unnamed === "refused") throw nameless();
      const site = headers["sec-fetch-site"];
      if (OWN_SITES.includes(Array.isArray(site) ? site.join() : site)) return;
      throw foreign();
    }
    const named = URL.parse(origin);
    if (named === null) throw foreign();
    const isOwn = address === "set" ? named.origin === new URL(publicUrl()).origin : named.host === host?.toLowerCase();
    if (!isOwn) throw foreign();
  };

const nameless = (): Fault =>
  new Fault(
    "invalid_request",
    "Only a page of this gateway can send this, and browsers then send an `Origin` header. Other clients send their key to /v1.",
    { param: "origin" },
  );

const foreign = (): Fault =>
  new Fault(
    "invalid_request",
    "This request comes from a page of another site. Open the gateway's own address; the operator sets it as `public_url`.",
    { param: "origin" },
  );
