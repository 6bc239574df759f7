import { z } from "zod";
import { baseUrl, credentialReference, openMembers, providerName, unknownMembers } from "../catalogue/provider.ts";
import { dialect, upstreamModel } from "../catalogue/route.ts";
import { storable } from "../storable.ts";

/** It is sent in a header, so this is all it can be. */
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{1,16384}$/, "Input should be 1 to 16384 printable ASCII characters without spaces");

/** A new provider, or with `replace` another address or credential of one that is there. */
export const providerRequestSchema = z
  .strictObject({
    name: providerName,
    base_url: baseUrl,
    credential: credentialReference,
    unknown_members: unknownMembers,
    open_members: openMembers,
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
  upstream_model: upstreamModel,
  dialect: dialect.extract(["chat", "responses", "messages"]),
});

export const providerPageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: storable(200).optional(),
});
