import { z } from "zod";
import { PROVIDER_DIALECTS } from "../../core/dialect.ts";
import type { ProbeResult } from "../../core/probe.ts";
import type { Rekeyed } from "../../core/sealed-credential.ts";
import {
  baseUrl,
  credentialReference,
  openMembers,
  providerName,
  unknownMembers,
  windowCheck,
} from "../catalogue/provider.ts";
import { format, upstreamModel } from "../catalogue/route.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { pageQuery, pageSchema } from "./page.ts";

/** `provider` in a path. */
export const ofProvider = z.object({ provider: z.string().describe("Name of the provider.") });

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
    context_window: windowCheck,
    /** The credential itself, to be sealed here and stored. */
    secret: secret.nullable().default(null),
    replace: z.boolean().default(false),
  })
  .refine((order) => order.secret === null || order.credential === "stored", {
    path: ["credential"],
    error: "Input should be 'stored' where a secret comes along",
  })
  .transform((order) => ({
    name: order.name,
    baseUrl: order.base_url,
    credentialRef: order.credential,
    unknownMembers: order.unknown_members,
    openMembers: order.open_members,
    windowCheck: order.context_window,
    secret: order.secret,
    present: order.replace ? ("replace" as const) : ("keep" as const),
  }));

export const providerRequestView = (
  order: ReadAs<typeof providerRequestSchema>,
): WrittenAs<typeof providerRequestSchema> => ({
  name: order.name,
  base_url: order.baseUrl,
  credential: order.credentialRef,
  unknown_members: order.unknownMembers,
  open_members: order.openMembers,
  context_window: order.windowCheck,
  secret: order.secret,
  replace: order.present === "replace",
});

export const providerRemovalSchema = z.strictObject({ routes: z.enum(["keep", "withdraw"]).default("keep") });

export const providerTestSchema = z
  .strictObject({ upstream_model: upstreamModel, format })
  .transform((target) => ({ upstreamModel: target.upstream_model, dialect: target.format }));

export const providerTestView = (target: ReadAs<typeof providerTestSchema>): WrittenAs<typeof providerTestSchema> => ({
  upstream_model: target.upstreamModel,
  format: target.dialect,
});

export const providerPageSchema = pageQuery(100);

const providerRouteSchema = z
  .object({
    id: z.string(),
    model: z.string(),
    published: z.boolean(),
    upstream_model: z.string(),
    format: z.enum(PROVIDER_DIALECTS),
    conformant: z.boolean(),
  })
  .transform(({ model: modelId, upstream_model: upstreamModel, format: dialect, ...route }) => ({
    ...route,
    modelId,
    upstreamModel,
    dialect,
  }));

export const providerSchema = z
  .object({
    name: z.string(),
    base_url: z.string(),
    credential: z.string().describe("Where the credential is stored; never the credential itself."),
    credential_key: z
      .string()
      .nullable()
      .describe("Name of the key that decrypts the stored credential; null: none is stored."),
    credential_problem: z.string().nullable().describe("Why the gateway cannot read the credential; null: it can."),
    unknown_members: z.enum(["forward", "drop"]).nullable(),
    open_members: z.array(z.string()).nullable(),
    context_window: z
      .enum(["strict"])
      .nullable()
      .describe(
        "`strict`: the provider is sent only input that certainly fits the model's context window; null: it is also sent input that may fit.",
      ),
    routes: z.array(providerRouteSchema),
  })
  .meta({ id: "Provider" })
  .transform((provider) => ({
    name: provider.name,
    baseUrl: provider.base_url,
    credentialRef: provider.credential,
    credentialKeyId: provider.credential_key,
    credentialProblem: provider.credential_problem,
    unknownMembers: provider.unknown_members,
    openMembers: provider.open_members,
    windowCheck: provider.context_window,
    routes: provider.routes,
  }));

export const providerView = (provider: ReadAs<typeof providerSchema>): WrittenAs<typeof providerSchema> => ({
  name: provider.name,
  base_url: provider.baseUrl,
  credential: provider.credentialRef,
  credential_key: provider.credentialKeyId,
  credential_problem: provider.credentialProblem,
  unknown_members: provider.unknownMembers,
  open_members: provider.openMembers,
  context_window: provider.windowCheck,
  routes: provider.routes.map((route) => ({
    id: route.id,
    model: route.modelId,
    published: route.published,
    upstream_model: route.upstreamModel,
    format: route.dialect,
    conformant: route.conformant,
  })),
});

export const providerListSchema = pageSchema(providerSchema);

export const presetListSchema = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      base_url: z.string(),
      credential: z.string().describe("Reference to the variable in which people usually keep the credential."),
      format: z.enum(PROVIDER_DIALECTS).describe("Format of most of its models."),
    }),
  ),
});

export const providerAddedSchema = z.object({
  result: z.enum(["added", "changed", "unchanged"]),
  provider: providerSchema,
});

export const providerTestedSchema = z
  .object({
    ok: z.boolean(),
    status: z.int().nullable().describe("HTTP status from the provider; null: no response."),
    problem: z.string().nullable(),
    first_byte_ms: z.number().nullable(),
    whole_ms: z.number(),
    names_itself: z.string().nullable().describe("Model name in the provider's response; null: it gave none."),
    usage: z.object({ input_tokens: z.int().nullable(), output_tokens: z.int().nullable() }).nullable(),
    broken_rules: z
      .array(z.string())
      .nullable()
      .describe("Rules of the stream format that the provider broke; null: there was no stream."),
  })
  .meta({ id: "ProviderTest" })
  .transform(({ status, problem, first_byte_ms, whole_ms, names_itself, usage, broken_rules }): ProbeResult => ({
    status,
    problem,
    firstByteMs: first_byte_ms,
    wholeMs: whole_ms,
    examination:
      broken_rules === null
        ? null
        : {
            broken: broken_rules,
            model: names_itself ?? "",
            usage: usage === null ? null : { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens },
          },
  }));

export const probeView = ({
  status,
  firstByteMs,
  wholeMs,
  problem,
  examination,
}: ProbeResult): WrittenAs<typeof providerTestedSchema> => ({
  ok: problem === null,
  status,
  problem,
  first_byte_ms: firstByteMs,
  whole_ms: wholeMs,
  names_itself: examination?.model ?? null,
  usage: examination?.usage
    ? { input_tokens: examination.usage.inputTokens, output_tokens: examination.usage.outputTokens }
    : null,
  broken_rules: examination?.broken ?? null,
});

const names = z.array(z.string());

export const rekeyedSchema = z
  .object({
    key: z.string(),
    resealed: names,
    current: names.describe("Providers whose credential was already encrypted with the newest key."),
    unopened: z
      .array(z.object({ provider: z.string(), problem: z.string() }))
      .describe("Providers whose credential no configured key can decrypt; they are unchanged."),
  })
  .transform(({ key: keyId, ...rekeyed }): Rekeyed => ({ keyId, ...rekeyed }));

export const rekeyedView = ({ keyId, ...rekeyed }: Rekeyed): WrittenAs<typeof rekeyedSchema> => ({
  key: keyId,
  ...rekeyed,
});

export const providerRemovedSchema = z.object({
  name: z.string(),
  withdrawn: names,
  stranded: names.describe("Published models without a route."),
});
