import { z } from "zod";
import { baseUrl, credentialReference, openMembers, providerName, unknownMembers } from "../catalogue/provider.ts";
import { dialect, upstreamModel } from "../catalogue/route.ts";
import { storable } from "../storable.ts";
import { pageSchema } from "./page.ts";

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

export const providerTestSchema = z.strictObject({
  upstream_model: upstreamModel,
  dialect,
});

export const providerPageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: storable(200).optional(),
});

/** `provider` in a path. */
export const ofProvider = z.object({ provider: z.string().describe("The name of a provider.") });

export const providerSchema = z
  .object({
    name: z.string(),
    base_url: z.string(),
    credential: z.string().describe("Where its credential is found; never the credential itself."),
    credential_key: z.string().nullable().describe("The name of the key that opens a stored credential."),
    credential_problem: z.string().nullable().describe("Why the gateway cannot have the credential; null when it can."),
    unknown_members: z.enum(["forward", "drop"]).nullable(),
    open_members: z.array(z.string()).nullable(),
    routes: z.array(
      z.object({
        id: z.string(),
        model: z.string(),
        published: z.boolean(),
        upstream_model: z.string(),
        dialect: z.string(),
        conformant: z.boolean(),
      }),
    ),
  })
  .meta({ id: "Provider" });

export const providerListSchema = pageSchema(providerSchema);
export const providerAddedSchema = z.object({ result: z.string(), provider: providerSchema });

export const providerTestedSchema = z
  .object({
    ok: z.boolean(),
    status: z.int().nullable().describe("Null: the provider did not answer at all."),
    problem: z.string().nullable(),
    first_byte_ms: z.number().nullable(),
    whole_ms: z.number(),
    names_itself: z.string().nullable().describe("What the provider calls the model."),
    usage: z.object({ input_tokens: z.int().nullable(), output_tokens: z.int().nullable() }).nullable(),
    broken_rules: z.array(z.string()).nullable().describe("The rules of a stream that were not kept."),
  })
  .meta({ id: "ProviderTest" });

const names = z.array(z.string());

export const rekeyedSchema = z.object({
  key: z.string(),
  resealed: names,
  current: names.describe("Providers whose credential had this key already."),
  unopened: z
    .array(z.object({ provider: z.string(), problem: z.string() }))
    .describe("Those that no key at hand opens; they stay as they were."),
});

export const providerRemovedSchema = z.object({
  name: z.string(),
  withdrawn: names,
  stranded: names.describe("Published models that have no route left."),
});
