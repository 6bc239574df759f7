import { z } from "zod";
import { readCheckedProviders } from "../../core/catalogue/price-check.ts";
import { readGroupMappings } from "../../core/people/group-mapping.ts";
import { readNetworkList } from "../../core/network-list.ts";
import { createSecret } from "../../core/secret/secret.ts";
import { readWebhookList } from "../../core/webhook-list.ts";

/** What is known of a setting beside its schema. */
export type Setting = {
  description: string;
  /** How text from the environment, and numbers in the file, become the value. */
  kind: "integer" | "text" | "choice";
  secret: boolean;
  /** The variable's name; null when it follows from the path. */
  environment: string | null;
  /** Completes the sentence "expected …". */
  expected: string;
};

export const settingRegistry = z.registry<Setting>();

type Named = { environment?: string };
type Shaped = Named & { pattern: RegExp; expected: string };

const grouped = (bound: number): string => bound.toLocaleString("en-US");

/** A whole number within bounds. */
export const integer = (
  { min, max, fallback, environment }: Named & { min: number; max: number; fallback: number },
  description: string,
) =>
  register(z.int().min(min).max(max).default(fallback), {
    description,
    kind: "integer",
    secret: false,
    environment,
    expected: `a whole number from ${grouped(min)} to ${grouped(max)}`,
  });

export const text = ({ fallback, pattern, ...rest }: Shaped & { fallback: string }, description: string) =>
  register(z.string().regex(pattern).default(fallback), { description, kind: "text", secret: false, ...rest });

/** Networks separated by commas, as text; a pattern cannot tell whether each is one. */
export const networks = (description: string) =>
  register(
    z
      .string()
      .refine((value) => readNetworkList(value) !== null)
      .default(""),
    {
      description,
      kind: "text",
      secret: false,
      expected: "IP addresses or networks such as 10.0.0.0/8 and 2001:db8::/32, separated by commas",
    },
  );

/** Providers whose prices are compared with a list, as text. */
export const checkedProviders = (description: string) =>
  register(
    z
      .string()
      .refine((value) => readCheckedProviders(value) !== null)
      .default(""),
    {
      description,
      kind: "text",
      secret: false,
      expected: "names such as openai, google=gemini or openai*1.2, separated by commas, each provider once",
    },
  );

/** What the members of groups get, as text. */
export const groupMappings = (description: string) =>
  register(
    z
      .string()
      .refine((value) => readGroupMappings(value) !== null)
      .default(""),
    {
      description,
      kind: "text",
      secret: false,
      expected:
        "lines such as `GROUP -> operator`, `GROUP -> viewer at Acme/Search` or `GROUP -> member of Acme/Search with 50 per month`, each group once",
    },
  );

/** Text that may be left out, and is null then. */
export const optionalText = ({ pattern, ...rest }: Shaped, description: string) =>
  register(z.string().regex(pattern).nullable().default(null), { description, kind: "text", secret: false, ...rest });

export const choice = <const Name extends string>(
  { values, fallback, environment }: Named & { values: readonly [Name, ...Name[]]; fallback: NoInfer<Name> },
  description: string,
) =>
  register(
    z.enum(values).default(() => fallback),
    {
      description,
      kind: "choice",
      secret: false,
      environment,
      expected: `one of ${values.join(", ")}`,
    },
  );

export const secret = ({ pattern, ...rest }: Shaped, description: string) =>
  register(z.string().regex(pattern).transform(createSecret).nullable().default(null), {
    description,
    kind: "text",
    secret: true,
    ...rest,
  });

/** Addresses with the secrets that sign what is sent there, as text. */
export const webhooks = (description: string) =>
  register(
    z
      .string()
      .refine((value) => readWebhookList(value) !== null)
      .transform(createSecret)
      .nullable()
      .default(null),
    {
      description,
      kind: "text",
      secret: true,
      expected: "NAME=URL whsec_SECRET, separated by commas; a secret is 24 to 64 bytes in base64",
    },
  );

/** Settings that belong together. Leaving the group out leaves every setting in it at its default. */
export const group = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z
    .strictObject(shape)
    .prefault({} as z.input<z.ZodObject<Shape>>)
    .describe(description);

function register<Schema extends z.ZodType>(
  schema: Schema,
  { environment, ...setting }: Omit<Setting, "environment"> & { environment?: string | undefined },
): Schema {
  const described = schema.describe(setting.description);
  // The registry's parameter type depends on the schema's and cannot be resolved while that is still generic.
  const entry: z.ZodType = described;
  settingRegistry.add(entry, { ...setting, environment: environment ?? null });
  return described;
}
