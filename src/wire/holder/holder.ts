import { z } from "zod";
import { type Unit, UNITS } from "../../core/money/amount.ts";
import { BUDGET_PERIODS } from "../../core/money/budget-period.ts";
import { COUNTER_KINDS } from "../../core/money/counter.ts";
import { renamed } from "../codec.ts";
import { dateOf, instant } from "../instant.ts";
import { type UsageSummaryBody, usageSummarySchema } from "../usage/usage-summary.ts";
import { type ReadAs, written, type WrittenAs } from "../validate.ts";
import { amountIn } from "./amounts.ts";

/** A point in time, as it is written. */
export const moment = z.iso.datetime();

/** What POST /me/session takes. The name of another field is not repeated: it may be the key. */
export const signInSchema = z.strictObject(
  { key: z.string().min(1).max(256) },
  { error: ({ code }) => (code === "unrecognized_keys" ? "Send one field only: key" : undefined) },
);

/** What it answers beside the cookie. */
export const sessionSchema = z.object({
  object: z.literal("key_session"),
  key: z.object({ prefix: z.string(), label: z.string().nullable(), mode: z.enum(["credit", "token_budget"]) }),
  expires_at: moment,
});

export type SessionBody = z.output<typeof sessionSchema>;

/** What GET /me/sign-in answers. `sso`: GET /me/sign-in/oidc leads through the identity provider. */
export const holderWaysInSchema = z.object({ object: z.literal("ways_in"), sso: z.boolean() });

export type WaysInBody = z.output<typeof holderWaysInSchema>;

const limitIn = (unit: Unit) =>
  renamed(
    z.object({
      account: z.string().nullable(),
      kind: z.enum(COUNTER_KINDS),
      unit: z.enum(UNITS),
      models: z.array(z.string()).nullable(),
      period: z.enum(BUDGET_PERIODS),
      amount: amountIn(unit).nullable(),
      charged: amountIn(unit),
      reserved: amountIn(unit),
      available: amountIn(unit),
      renews_at: instant.nullable(),
    }),
    { renewsAtMs: "renews_at" },
  );

const LIMITS = { credit: limitIn("credit"), tokens: limitIn("tokens") } satisfies Record<Unit, unknown>;

/** The JSON is alike in both units. */
export const holderLimit = LIMITS.credit;

/** Who signed in with a client. */
export const holderPersonSchema = z.object({ email: z.string(), name: z.string(), account: z.string() });

/** What GET /me answers: what GET /v1/usage does, and what a page about the key shows beside it. */
export const holderSchema = z.object({
  ...usageSummarySchema.shape,
  object: z.literal("key_holder"),
  key: z.object({
    ...usageSummarySchema.shape.key.shape,
    id: z.uuid(),
    models: z.array(z.string()).nullable(),
    tiers: z.array(z.string()).nullable(),
    regions: z.array(z.string()).nullable(),
    created_at: moment,
    expires_at: moment.nullable(),
  }),
  origin: z.string().nullable(),
  limits: z.array(holderLimit.in),
  session: z.object({ expires_at: moment }).nullable(),
  person: holderPersonSchema.nullable(),
});

/** A key with what it has used, and everything that limits it. */
export type HolderView = {
  usage: UsageSummaryBody;
  key: {
    id: string;
    models: readonly string[] | null;
    tiers: readonly string[] | null;
    regions: readonly string[] | null;
    createdAtMs: number;
    expiresAtMs: number | null;
  };
  origin: string | null;
  limits: readonly ReadAs<typeof holderLimit>[];
  session: { expiresAtMs: number } | null;
  person: z.output<typeof holderPersonSchema> | null;
};

export const writeHolder = ({
  usage,
  key,
  origin,
  limits,
  session,
  person,
}: HolderView): WrittenAs<typeof holderSchema> => ({
  ...usage,
  object: "key_holder",
  key: {
    ...usage.key,
    id: key.id,
    models: key.models,
    tiers: key.tiers,
    regions: key.regions,
    created_at: dateOf(key.createdAtMs),
    expires_at: dateOf(key.expiresAtMs),
  },
  origin,
  limits: limits.map((limit) => written(LIMITS[limit.unit], limit)),
  session: session && { expires_at: dateOf(session.expiresAtMs) },
  person: person && { email: person.email, name: person.name, account: person.account },
});
