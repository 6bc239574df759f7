import { z } from "zod";
import { PROVIDER_DIALECTS } from "../../core/dialect.ts";
import { storable } from "./storable.ts";

/** `all` is what a key without a restriction says. */
const name = z
  .string()
  .regex(
    /^(?!all$)[A-Za-z0-9][\w.-]{0,63}$/,
    "Input should be 1 to 64 letters, digits, points, dashes and underscores, and not 'all'",
  );

/** Up to and without the operation's path. What an address must not carry would end in logs. */
export const baseUrl = storable(2_000)
  .refine(isPlainUrl, "Input should be an http or https URL without credentials, query or fragment")
  .transform((text) => new URL(text).href.replace(/\/+$/, ""));

/** Where a credential is found. The pattern keeps the credential itself from being put here by mistake. */
export const credentialReference = storable(1_000).regex(
  /^(env:[A-Z][A-Z0-9_]{0,127}|file:\/.+|stored|none)$/,
  "Input should be env:NAME, file:/absolute/path, stored or none",
);

/** It is sent in a header, so this is all it can be. */
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{1,16384}$/, "Input should be 1 to 16384 printable ASCII characters without spaces");

/** A new provider, or with `replace` another address or credential of one that is there. */
export const providerRequestSchema = z
  .strictObject({
    name,
    base_url: baseUrl,
    credential: credentialReference,
    /** The credential itself, to be sealed here and stored. */
    secret: secret.nullable().default(null),
    replace: z.boolean().default(false),
  })
  .refine((order) => order.secret === null || order.credential === "stored", {
    path: ["credential"],
    error: "Input should be 'stored' where a secret comes along",
  });

export const providerRemovalSchema = z.strictObject({ routes: z.enum(["keep", "withdraw"]).default("keep") });

/** Only the formats that callers speak can be tried by hand. */
export const providerTestSchema = z.strictObject({
  upstream_model: storable(500).min(1),
  dialect: z.enum(PROVIDER_DIALECTS).extract(["chat", "responses", "messages"]),
});

export const providerPageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: storable(200).optional(),
});

function isPlainUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ""
  );
}
