import { z } from "zod";
import { UNITS } from "../../core/amount.ts";
import { BUDGET_PERIODS } from "../../core/budget-period.ts";
import { COUNTER_KINDS } from "../../core/counter.ts";
import { usageSummarySchema } from "../usage/usage-summary.ts";

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

export const holderLimitSchema = z.object({
  account: z.string().nullable(),
  kind: z.enum(COUNTER_KINDS),
  unit: z.enum(UNITS),
  models: z.array(z.string()).nullable(),
  period: z.enum(BUDGET_PERIODS),
  amount: z.string().nullable(),
  charged: z.string(),
  reserved: z.string(),
  available: z.string(),
  renews_at: moment.nullable(),
});

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
    created_at: moment,
    expires_at: moment.nullable(),
  }),
  origin: z.string().nullable(),
  limits: z.array(holderLimitSchema),
  session: z.object({ expires_at: moment }).nullable(),
  person: holderPersonSchema.nullable(),
});

export type HolderBody = z.output<typeof holderSchema>;
