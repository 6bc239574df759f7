import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Installed } from "./install-once.ts";
import { cachedPackages, installPackages, load } from "./npm-packages.ts";

type StandardWebhooks = {
  Webhook: new (secret: string) => { verify: (body: string, headers: Record<string, string>) => unknown };
};

/** The reference implementation of the specification. */
const PACKAGES = { standardwebhooks: "1.1.1" };

/**
 * What a receiver reads of a webhook: by the official package where an earlier run of the conformance suite installed it, and otherwise by
 * the three lines of the specification, which that suite compares with it. Rejects when the signature is not right.
 */
export async function verified(body: string, headers: IncomingHttpHeaders, secret: string): Promise<unknown> {
  const installed = await cachedPackages("standardwebhooks", PACKAGES);
  if (installed.folder === null) return verifiedByHand(body, headers, secret);
  return officialVerifier(installed)(body, headers, secret);
}

type Verify = (body: string, headers: IncomingHttpHeaders, secret: string) => unknown;

export const installOfficialVerifier = (): Promise<Installed> => installPackages("standardwebhooks", PACKAGES);

export function officialVerifier(installed: Installed): Verify {
  const { Webhook } = load<StandardWebhooks>(installed, "standardwebhooks");
  return (body, headers, secret) => new Webhook(secret).verify(body, headers as Record<string, string>);
}

export function verifiedByHand(body: string, headers: IncomingHttpHeaders, secret: string): unknown {
  const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
    .update(content)
    .digest();
  const signatures = String(headers["webhook-signature"]).split(" ");
  const isRight = signatures.some((signature) => {
    const bytes = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  if (!isRight) throw new Error("no signature matches");
  return JSON.parse(body);
}
