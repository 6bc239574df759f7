import { z } from "zod";
import { ROLES } from "../../core/people/role.ts";
import { storable } from "../storable.ts";
import type { WrittenAs } from "../validate.ts";
import { renamed, sparse, within } from "../codec.ts";
import { instant } from "../instant.ts";

/** Long enough that guessing is hopeless within the limits; longer than anybody types at most. */
export const password = z
  .string()
  .min(12)
  .max(256)
  .describe("At least 12 characters.")
  .meta({ examples: ["correct horse battery staple"] });
export const email = storable(254)
  .regex(/^[^\s@]+@[^\s@]+$/, "Input should be an email address")
  .toLowerCase();
export const personName = storable(200).min(1);
/** `person` in a path. */
export const ofPerson = z.object({ person: z.string().max(300).describe("Id of the person, or their email.") });
export const ofPersonSession = ofPerson.extend({ session: z.uuid().describe("Id of the session.") });
export const ofOwnSession = ofPersonSession.pick({ session: true });
export const signInSchema = z.strictObject({ email, password: z.string().max(256).describe("The password.") });

export const setupSchema = z.strictObject({
  token: z.string().max(100).describe("The setup token that `tollgate serve` printed."),
  email,
  name: personName.nullable().default(null).describe("Name; null: the email."),
  password,
});

const heldGrantJson = z
  .object({
    role: z.enum(ROLES),
    account_id: z.uuid().nullable(),
    account: z
      .string()
      .nullable()
      .describe("The names of the account from the root down; null: the role holds everywhere."),
    source: z.enum(["given", "sso"]).describe("`sso`: it follows from a group of the identity provider."),
  })
  .meta({ id: "Grant" });
type HeldGrantRow = z.output<typeof heldGrantJson>;

/** JSON has the names of the account, and not the ids of those above it. */
const heldGrant = z.codec(
  heldGrantJson,
  z.custom<Omit<HeldGrantRow, "account_id"> & { accountId: string | null; path: readonly string[] | null }>(),
  {
    decode: ({ account_id: accountId, ...grant }) => ({ ...grant, accountId, path: null }),
    encode: ({ accountId, role, account, source }) => ({ role, account_id: accountId, account, source }),
  },
);

export const person = renamed(
  z
    .object({
      id: z.uuid(),
      email: z.string(),
      name: z.string().describe("Name."),
      state: z.enum(["active", "removed"]),
      account_id: z.uuid().nullable(),
      account: z
        .string()
        .nullable()
        .describe("The account that is theirs, by the names from the root down; null: none."),
      has_password: z.boolean(),
      has_sso: z.boolean(),
      created_at: instant,
      removed_at: instant.nullable(),
      last_seen_at: instant.nullable(),
      grants: z.array(heldGrant),
    })
    .meta({ id: "Person" }),
  {
    accountId: "account_id",
    hasPassword: "has_password",
    hasSso: "has_sso",
    createdAtMs: "created_at",
    removedAtMs: "removed_at",
    lastSeenAtMs: "last_seen_at",
  },
);

export type PersonJson = WrittenAs<typeof person>;

const session = renamed(
  z
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
    .meta({ id: "Session" }),
  { createdAtMs: "created_at", lastSeenAtMs: "last_seen_at", expiresAtMs: "expires_at" },
);

const sessions = z.array(session);
export const sessionList = within("sessions", sessions);
export const ownSessionList = z.object({
  sessions,
  current: z.uuid().nullable().describe("Id of the session you ask in; null: you sent a token."),
});
export const sessionsKept = sparse(
  z.strictObject({ except: z.uuid().exactOptional().describe("Id of a session that goes on. Omit it to end all.") }),
);
export const sessionsEnded = z.object({ ended: z.int().describe("How many sessions were ended.") });

export const token = renamed(
  z
    .object({
      id: z.uuid(),
      prefix: z.string(),
      person_id: z.uuid(),
      email: z.string(),
      name: z.string().describe("What it is for."),
      role: z.enum(ROLES).nullable(),
      account_id: z.uuid().nullable(),
      account: z.string().nullable().describe("It works only below this account; null: wherever its person may."),
      created_at: instant,
      expires_at: instant,
      last_used_at: instant.nullable(),
      revoked_at: instant.nullable(),
    })
    .meta({ id: "PersonalToken" }),
  {
    personId: "person_id",
    accountId: "account_id",
    createdAtMs: "created_at",
    expiresAtMs: "expires_at",
    lastUsedAtMs: "last_used_at",
    revokedAtMs: "revoked_at",
  },
);

export type TokenJson = WrittenAs<typeof token>;

export const caller = z
  .object({
    actor: z.string(),
    via: z.enum(["password", "sso", "token", "automation"]).describe("How you proved who you are."),
    person: person.nullable().describe("You; null: the automation token."),
    token: token.nullable().describe("The personal token that you sent; null: none."),
  })
  .meta({ id: "Caller" });

export type CallerJson = WrittenAs<typeof caller>;

/** Who one is, and where the key holders of this gateway are to go. */
export const shownSession = caller
  .extend({
    gateway_url: z.string().meta({
      description: "Where clients reach the gateway: `public_url` or, if unset, the address it listens on.",
      examples: ["https://gateway.example.com"],
    }),
  })
  .meta({ id: "ShownSession" });

export const signedOutSchema = z.object({ signed_out: z.literal(true) });
