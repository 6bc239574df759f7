import { z } from "zod";
import { ROLES } from "../../core/role.ts";
import { storable } from "../storable.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { dateOf, instant } from "./instant.ts";
import { accountName } from "./keys.ts";
import { pageQuery, pageSchema } from "./page.ts";

/** Long enough that guessing is hopeless within the limits; longer than anybody types at most. */
const password = z
  .string()
  .min(12)
  .max(256)
  .describe("At least 12 characters.")
  .meta({ examples: ["correct horse battery staple"] });
const email = storable(254)
  .regex(/^[^\s@]+@[^\s@]+$/, "Input should be an email address")
  .transform((text) => text.toLowerCase());
const personName = storable(200).min(1);
const role = z.enum(ROLES);
const account = accountName
  .nullable()
  .default(null)
  .describe(
    "The account for which and below which the role holds: its id, or the names from the root down; null: everywhere.",
  );

/** `person` in a path. */
export const ofPerson = z.object({ person: z.string().max(300).describe("Id of the person, or their email.") });
export const ofPersonSession = ofPerson.extend({ session: z.uuid().describe("Id of the session.") });
export const ofOwnSession = ofPersonSession.pick({ session: true });
export const ofToken = z.object({ token: z.uuid().describe("Id of the token.") });

const grantSchema = z.strictObject({ role, account }).meta({ id: "GrantRequest" });

export const signInSchema = z.strictObject({ email, password: z.string().max(256).describe("The password.") });

export const setupSchema = z.strictObject({
  token: z.string().max(100).describe("The setup token that `tollgate serve` printed."),
  email,
  name: personName.nullable().default(null).describe("Name; null: the email."),
  password,
});

export const newPersonSchema = z.strictObject({
  email,
  name: personName.nullable().default(null).describe("Name; null: the email."),
  account: accountName
    .nullable()
    .default(null)
    .describe("The account that is theirs: its id, or the names from the root down; null: none."),
  grants: z.array(grantSchema).max(100).default([]).describe("Their roles."),
  password: password.nullable().default(null).describe("A first password; null: they sign in through SSO."),
});

export const personChangeSchema = z
  .strictObject({
    name: personName.exactOptional().describe("A new name."),
    email: email.exactOptional(),
    account: accountName.nullable().exactOptional().describe("The account that is theirs; null: none."),
  })
  .refine((changes) => Object.keys(changes).length > 0, "Give at least one field to change");

export const grantsSchema = z.strictObject({
  grants: z.array(grantSchema).max(100).describe("All roles they are given."),
});

export const grantChangeSchema = z.strictObject({
  add: z.array(grantSchema).max(100).default([]).describe("Roles to give."),
  remove: z
    .array(grantSchema)
    .max(100)
    .default([])
    .describe("Roles to take. A role that they do not have is left out."),
});

export const passwordSchema = z.strictObject({
  password,
  current: z
    .string()
    .max(256)
    .nullable()
    .default(null)
    .describe("Your password until now; null: the password is another person's."),
});

export const peoplePageSchema = pageQuery(100);
export const tokenPageSchema = z
  .strictObject({
    ...peoplePageSchema.in.shape,
    person: z
      .string()
      .max(300)
      .exactOptional()
      .describe("Whose: an email or an id. Omit it for your own; owners: everybody's."),
  })
  .transform(({ limit, after, person }) => ({ limit, after: after ?? null, person: person ?? null }));

export const newTokenSchema = z.strictObject({
  name: personName.describe("What it is for."),
  person: z
    .string()
    .max(300)
    .nullable()
    .default(null)
    .describe("Whose it is; null: yours. Others' need the automation token."),
  role: role
    .nullable()
    .default(null)
    .describe("Allows what this role allows, and no more than its person may; null: as its person."),
  account: accountName.nullable().default(null).describe("Only below this account; null: wherever its person may."),
  days: z.int().min(1).max(365).default(90).describe("Days until it expires, at most 365."),
});

const heldGrantSchema = z
  .object({
    role,
    account_id: z.uuid().nullable(),
    account: z
      .string()
      .nullable()
      .describe("The names of the account from the root down; null: the role holds everywhere."),
    source: z.enum(["given", "sso"]).describe("`sso`: it follows from a group of the identity provider."),
  })
  .meta({ id: "Grant" })
  .transform(({ account_id, ...grant }) => ({ ...grant, accountId: account_id, path: null }));

const personSchema = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string().describe("Name."),
    state: z.enum(["active", "removed"]),
    account_id: z.uuid().nullable(),
    account: z.string().nullable().describe("The account that is theirs, by the names from the root down; null: none."),
    has_password: z.boolean(),
    has_sso: z.boolean(),
    created_at: instant,
    removed_at: instant.nullable(),
    last_seen_at: instant.nullable(),
    grants: z.array(heldGrantSchema),
  })
  .meta({ id: "Person" })
  .transform(({ account_id, has_password, has_sso, created_at, removed_at, last_seen_at, ...person }) => ({
    ...person,
    accountId: account_id,
    hasPassword: has_password,
    hasSso: has_sso,
    createdAtMs: created_at,
    removedAtMs: removed_at,
    lastSeenAtMs: last_seen_at,
  }));

export type PersonJson = WrittenAs<typeof personSchema>;

type ShownPerson = Omit<ReadAs<typeof personSchema>, "grants"> & {
  readonly grants: readonly Omit<ReadAs<typeof heldGrantSchema>, "path">[];
};

export const personView = (person: ShownPerson): PersonJson => ({
  id: person.id,
  email: person.email,
  name: person.name,
  state: person.state,
  account_id: person.accountId,
  account: person.account,
  has_password: person.hasPassword,
  has_sso: person.hasSso,
  created_at: dateOf(person.createdAtMs),
  removed_at: dateOf(person.removedAtMs),
  last_seen_at: dateOf(person.lastSeenAtMs),
  grants: person.grants.map(({ role: name, accountId, account: title, source }) => ({
    role: name,
    account_id: accountId,
    account: title,
    source,
  })),
});

export const personAnswerSchema = z.object({ person: personSchema });
export const grantsChangedSchema = z.object({ person: personSchema, changed: z.boolean() });
export const peopleListSchema = pageSchema(personSchema);
export type PersonListJson = WrittenAs<typeof peopleListSchema>;

const sessionSchema = z
  .object({
    id: z.uuid(),
    via: z.enum(["password", "sso"]),
    created_at: instant,
    last_seen_at: instant,
    expires_at: instant,
    address: z
      .string()
      .describe("Where the sign-in came from.")
      .meta({ examples: ["192.0.2.7"] }),
    agent: z.string(),
  })
  .meta({ id: "Session" })
  .transform(({ created_at, last_seen_at, expires_at, ...session }) => ({
    ...session,
    createdAtMs: created_at,
    lastSeenAtMs: last_seen_at,
    expiresAtMs: expires_at,
  }));

export const sessionView = (session: ReadAs<typeof sessionSchema>): WrittenAs<typeof sessionSchema> => ({
  id: session.id,
  via: session.via,
  created_at: dateOf(session.createdAtMs),
  last_seen_at: dateOf(session.lastSeenAtMs),
  expires_at: dateOf(session.expiresAtMs),
  address: session.address,
  agent: session.agent,
});

export const sessionListSchema = z.object({ sessions: z.array(sessionSchema) });
export const ownSessionListSchema = z.object({
  sessions: z.array(sessionSchema),
  current: z.uuid().nullable().describe("Id of the session you ask in; null: you sent a token."),
});
export const sessionsKeptSchema = z
  .strictObject({ except: z.uuid().exactOptional().describe("Id of a session that goes on. Omit it to end all.") })
  .transform(({ except }) => ({ except: except ?? null }));
export const sessionsEndedSchema = z.object({ ended: z.int().describe("How many sessions were ended.") });

const tokenSchema = z
  .object({
    id: z.uuid(),
    prefix: z.string(),
    person_id: z.uuid(),
    email: z.string(),
    name: z.string().describe("What it is for."),
    role: role.nullable(),
    account_id: z.uuid().nullable(),
    account: z.string().nullable().describe("It works only below this account; null: wherever its person may."),
    created_at: instant,
    expires_at: instant,
    last_used_at: instant.nullable(),
    revoked_at: instant.nullable(),
  })
  .meta({ id: "PersonalToken" })
  .transform((token) => ({
    id: token.id,
    prefix: token.prefix,
    personId: token.person_id,
    email: token.email,
    name: token.name,
    role: token.role,
    accountId: token.account_id,
    account: token.account,
    createdAtMs: token.created_at,
    expiresAtMs: token.expires_at,
    lastUsedAtMs: token.last_used_at,
    revokedAtMs: token.revoked_at,
  }));

export type TokenJson = WrittenAs<typeof tokenSchema>;

export const tokenView = (token: ReadAs<typeof tokenSchema>): TokenJson => ({
  id: token.id,
  prefix: token.prefix,
  person_id: token.personId,
  email: token.email,
  name: token.name,
  role: token.role,
  account_id: token.accountId,
  account: token.account,
  created_at: dateOf(token.createdAtMs),
  expires_at: dateOf(token.expiresAtMs),
  last_used_at: dateOf(token.lastUsedAtMs),
  revoked_at: dateOf(token.revokedAtMs),
});

export const tokenListSchema = pageSchema(tokenSchema);
export type TokenListJson = WrittenAs<typeof tokenListSchema>;
export const tokenMadeSchema = z.object({
  token: tokenSchema,
  secret: z
    .string()
    .describe("The secret. Save it now; it won't be shown again.")
    .meta({ examples: ["tgp_…"] }),
});
export const tokenRevokedSchema = z.object({ token: tokenSchema, changed: z.boolean() });

export const callerSchema = z
  .object({
    actor: z.string(),
    via: z.enum(["password", "sso", "token", "automation"]).describe("How you proved who you are."),
    person: personSchema.nullable().describe("You; null: the automation token."),
    token: tokenSchema.nullable().describe("The personal token that you sent; null: none."),
  })
  .meta({ id: "Caller" });

export type CallerJson = WrittenAs<typeof callerSchema>;

/** Who one is, and where the key holders of this gateway are to go. */
export const shownSessionSchema = callerSchema
  .extend({
    gateway_url: z.string().meta({
      description: "Where clients reach the gateway: `public_url` or, if unset, the address it listens on.",
      examples: ["https://gateway.example.com"],
    }),
  })
  .meta({ id: "ShownSession" });

type ShownCaller = Omit<ReadAs<typeof callerSchema>, "person" | "token"> & {
  person: Parameters<typeof personView>[0] | null;
  token: Parameters<typeof tokenView>[0] | null;
};

export const callerView = ({ actor, via, person, token }: ShownCaller): CallerJson => ({
  actor,
  via,
  person: person && personView(person),
  token: token && tokenView(token),
});

export const signedOutSchema = z.object({ signed_out: z.literal(true) });
