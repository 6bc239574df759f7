import { z } from "zod";
import { PROVIDER_DIALECTS, ROUTE_FORMATS } from "../core/request/dialect.ts";
import type { ProbeResult } from "../core/catalogue/probe.ts";
import type { ManageProviders } from "../operator/providers.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { PROVIDER_NAMES, providerFields } from "../wire/catalogue/provider.ts";
import { format, upstreamModel } from "../wire/catalogue/route.ts";
import { oneOf, renamed, within } from "../wire/codec.ts";
import type { Operations } from "./operation.ts";

/** `provider` in a path. */
const ofProvider = z.object({ provider: z.string().describe("Name of the provider.") });

/** It is sent in a header, so this is all it can be. */
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{1,16384}$/, "Input should be 1 to 16384 printable ASCII characters without spaces");

/** A new provider, or with `replace` another address or credential of one that is there. */
const newProvider = renamed(
  z
    .strictObject({
      ...providerFields,
      /** The credential itself, to be sealed here and stored. */
      secret: secret.nullable().default(null),
      replace: oneOf(z.boolean().default(false), { false: "keep", true: "replace" }),
    })
    .refine((order) => order.secret === null || order.credential === "stored", {
      path: ["credential"],
      error: "Input should be 'stored' where a secret comes along",
    }),
  { ...PROVIDER_NAMES, present: "replace" },
);

const providerRoute = renamed(
  z.object({
    id: z.string(),
    model: z.string(),
    published: z.boolean(),
    upstream_model: z.string(),
    format: z.enum(ROUTE_FORMATS),
    conformant: z.boolean(),
  }),
  { modelId: "model", upstreamModel: "upstream_model", dialect: "format" },
);

export const provider = renamed(
  z
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
      traceparent: z
        .enum(["send"])
        .nullable()
        .describe(
          "`send`: calls to the provider carry a `traceparent` header with the span of the call, if traces are collected; null: they carry none.",
        ),
      platform: z
        .string()
        .nullable()
        .describe(
          "The cloud whose addresses, bodies and streams the provider has: `vertex`, `bedrock`, `azure`, or `azure:` with an API version; null: what the base URL says.",
        ),
      routes: z.array(providerRoute),
    })
    .meta({ id: "Provider" }),
  { ...PROVIDER_NAMES, credentialKeyId: "credential_key", credentialProblem: "credential_problem" },
);

export const presetList = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      base_url: z.string(),
      credential: z.string().describe("Reference to the variable in which people usually keep the credential."),
      format: z.enum(PROVIDER_DIALECTS).describe("Format of most of its models."),
      platform: z.string().nullable().describe("The `platform` that its provider needs; null: none."),
    }),
  ),
});

export const providerTest = z.codec(
  z
    .object({
      ok: z.boolean(),
      status: z.int().nullable().describe("HTTP status from the provider; null: no response."),
      problem: z.string().nullable(),
      first_byte_ms: z.number().nullable(),
      whole_ms: z.number(),
      names_itself: z.string().nullable().describe("Model name in the provider's response; null: it gave none."),
      usage: renamed(z.object({ input_tokens: z.int().nullable(), output_tokens: z.int().nullable() }), {
        inputTokens: "input_tokens",
        outputTokens: "output_tokens",
      }).nullable(),
      broken_rules: z
        .array(z.string())
        .nullable()
        .describe("Rules of the stream format that the provider broke; null: there was no stream."),
    })
    .meta({ id: "ProviderTest" }),
  z.custom<ProbeResult>(),
  {
    decode: ({ status, problem, first_byte_ms, whole_ms, names_itself, usage, broken_rules: broken }) => ({
      status,
      problem,
      firstByteMs: first_byte_ms,
      wholeMs: whole_ms,
      examination: broken === null ? null : { broken, model: names_itself ?? "", usage },
    }),
    encode: ({ status, problem, firstByteMs, wholeMs, examination }) => ({
      ok: problem === null,
      status,
      problem,
      first_byte_ms: firstByteMs,
      whole_ms: wholeMs,
      names_itself: examination?.model ?? null,
      usage: examination?.usage ?? null,
      broken_rules: examination === null ? null : [...examination.broken],
    }),
  },
);

const names = z.array(z.string());

export const rekeyed = renamed(
  z.object({
    key: z.string(),
    resealed: names,
    current: names.describe("Providers whose credential was already encrypted with the newest key."),
    unopened: z
      .array(z.object({ provider: z.string(), problem: z.string() }))
      .describe("Providers whose credential no configured key can decrypt; they are unchanged."),
  }),
  { keyId: "key" },
);

const REFUSALS = ["invalid_request", "not_found", "conflict"] as const;

/** What operators do with providers, below `/admin/v1`. A credential comes in and is sealed; none ever goes out. */
export const PROVIDERS: Operations<ManageProviders> = {
  list: {
    id: "listProviders",
    method: "GET",
    path: "/providers",
    summary: "List providers with their routes",
    payload: pageQuery(100),
    answer: pageSchema(provider),
    refusals: ["invalid_request"],
    audit: "read",
  },
  show: {
    id: "showProvider",
    method: "GET",
    path: "/providers/{provider}",
    summary: "Show a provider with its routes",
    params: ofProvider,
    answer: provider,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  add: {
    id: "addProvider",
    method: "POST",
    path: "/providers",
    summary: "Add a provider, or with `replace` change the address or credential of an existing one",
    payload: newProvider,
    answer: z.object({ result: z.enum(["added", "changed", "unchanged"]), provider }),
    status: { of: ({ result }) => (result === "added" ? 201 : 200) },
    refusals: REFUSALS,
    audit: {
      action: "provider.add",
      of: ({ name }) => ({ kind: "provider", name }),
      asked: ({ name, baseUrl, credentialRef, secret: given, present }) => ({
        name,
        baseUrl,
        credentialRef,
        storesCredential: given !== null,
        present,
      }),
    },
  },
  probe: {
    id: "testProvider",
    method: "POST",
    path: "/providers/{provider}/test",
    summary: "Test a provider with one small streamed call, which the provider bills",
    isLong: true,
    params: ofProvider,
    payload: renamed(z.strictObject({ upstream_model: upstreamModel, format }), {
      upstreamModel: "upstream_model",
      dialect: "format",
    }),
    answer: providerTest,
    refusals: REFUSALS,
    audit: "read",
  },
  rekey: {
    id: "rekeyProviders",
    method: "POST",
    path: "/providers/rekey",
    summary: "Re-encrypt every stored credential with the newest key",
    answer: rekeyed,
    refusals: ["conflict"],
    audit: {
      action: "provider.rekey",
      of: () => ({ kind: "provider", name: null }),
      after: (result) => result,
    },
  },
  remove: {
    id: "removeProvider",
    method: "DELETE",
    path: "/providers/{provider}",
    summary: "Remove a provider; returns 409 while published models have routes to it, unless `routes` is `withdraw`",
    params: ofProvider,
    payload: within("routes", z.enum(["keep", "withdraw"]).default("keep"), z.strictObject),
    answer: z.object({
      name: z.string(),
      withdrawn: names,
      stranded: names.describe("Published models without a route."),
    }),
    refusals: REFUSALS,
    audit: {
      action: "provider.remove",
      of: (name) => ({ kind: "provider", name }),
      asked: (_name, routes) => ({ routes }),
      after: (removed) => removed,
    },
  },
};
