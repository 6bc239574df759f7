import { z } from "zod";
import { CLOUD_REFERENCE } from "../../core/catalogue/cloud-reference.ts";
import { placeholderOf, PLACEHOLDERS } from "../../core/catalogue/provider-presets.ts";
import { PLATFORM } from "../../core/catalogue/platform.ts";
import { renamed } from "../codec.ts";
import { storable } from "../storable.ts";

/** `all` is what a key without a restriction says. */
const providerName = z
  .string()
  .regex(
    /^(?!all$)[A-Za-z0-9][\w.-]{0,63}$/,
    "Input should be 1 to 64 letters, digits, points, dashes and underscores, and not 'all'",
  )
  .meta({ description: "Name of the provider. Models and keys refer to it.", examples: ["acme"] });

/** Up to and without the operation's path. What an address must not carry would end in logs. */
const baseUrl = z
  .codec(
    storable(2_000)
      .refine(isPlainUrl, "Input should be an http or https URL without credentials, query or fragment")
      .refine(
        (text) => placeholderOf(text) === null,
        `Input should have the name of yours in place of ${PLACEHOLDERS.join(" or ")}`,
      ),
    z.string(),
    { decode: (text) => new URL(text).href.replace(/\/+$/, ""), encode: (url) => url },
  )
  .meta({
    description: "Base URL, without the path of an operation.",
    examples: ["https://api.example.com/v1"],
  });

/** Where a credential is found. The pattern keeps the credential itself from being put here by mistake. */
const credentialReference = storable(1_000)
  .regex(
    new RegExp(String.raw`^(env:[A-Z][A-Z0-9_]{0,127}|file:\/.+|stored|none|${CLOUD_REFERENCE})$`),
    "Input should be env:NAME, file:/absolute/path, stored, none, aws, aws:ROLE_ARN, google or entra",
  )
  .meta({
    description:
      "Where the credential is stored: `env:NAME`, `file:/absolute/path`, `stored` or `none`; or the identity that the gateway has in a cloud: `aws`, `aws:ROLE_ARN`, `google` or `entra`.",
    examples: ["env:ACME_KEY"],
  });

const MOST_OPEN = 100;

/** What the provider is told of members that nobody here knows; null: what is usual at its address. */
const unknownMembers = z.enum(["forward", "drop"]).nullable().default(null);

/** Unknown members that it is told all the same; null: the usual ones. */
const openMembers = z
  .array(
    z
      .string()
      .regex(
        /^[\w-]{1,64}\*?$/,
        "Input should be 1 to 64 letters, digits, dashes and underscores, perhaps with a * at the end",
      ),
  )
  .max(MOST_OPEN)
  .nullable()
  .default(null);

/** `strict`: it is sent only what certainly fits the context window of the model; null: it is asked where the gateway is not sure. */
const windowCheck = z.enum(["strict"]).nullable().default(null).meta({
  description:
    "`strict`: the provider is sent only input that certainly fits the model's context window; null: it is also sent input that may fit.",
});

/** `send`: each call carries the trace context of its span; null: none. */
const traceparent = z.enum(["send"]).nullable().default(null).meta({
  description:
    "`send`: calls to the provider carry a `traceparent` header with the span of the call, if traces are collected; null: they carry none.",
});

/** How a cloud wants its calls; null: what is usual at the address. */
const platform = z
  .string()
  .regex(new RegExp(`^(?:${PLATFORM})$`), "Input should be vertex, bedrock, azure, or azure:API_VERSION")
  .nullable()
  .default(null)
  .meta({
    description:
      "The cloud whose addresses, bodies and streams the provider has: `vertex`, `bedrock` or `azure`; or `azure:` with an API version, such as `azure:2024-10-21`, for the addresses of deployments. Null: what the base URL says.",
    examples: ["vertex"],
  });

/** What operators say of a provider, in the words of the catalogue file. */
export const providerFields = {
  name: providerName,
  base_url: baseUrl,
  credential: credentialReference,
  unknown_members: unknownMembers,
  open_members: openMembers,
  context_window: windowCheck,
  traceparent,
  platform,
};

export const PROVIDER_NAMES = {
  baseUrl: "base_url",
  credentialRef: "credential",
  unknownMembers: "unknown_members",
  openMembers: "open_members",
  windowCheck: "context_window",
} as const;

export const describedProvider = renamed(z.strictObject(providerFields), PROVIDER_NAMES);

function isPlainUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ""
  );
}
