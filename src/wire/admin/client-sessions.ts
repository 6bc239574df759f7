import { z } from "zod";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { dateOf, instant } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

export const clientSessionPageSchema = z
  .strictObject({
    ...pageQuery(100).in.shape,
    person: z.string().max(300).exactOptional().describe("Whose: an email or an id. Omit it for everybody's."),
    account: z
      .string()
      .max(1_000)
      .exactOptional()
      .describe("Only those in this account and below it: an id or the names from the root down."),
  })
  .transform(({ limit, after, person, account }) => ({
    limit,
    after: after ?? null,
    person: person ?? null,
    account: account ?? null,
  }));

const clientSessionSchema = z
  .object({
    id: z.uuid().describe("Id of the session. Requests, usage and the ledger have it as the id of a key."),
    person_id: z.uuid(),
    email: z.string(),
    name: z.string().describe("Name of the person."),
    account_id: z.uuid(),
    account: z.string().describe("The account that it spends from, by the names from the root down."),
    prefix: z
      .string()
      .describe("First characters of its access tokens; safe to show.")
      .meta({ examples: ["tga_0a1Qm3xY"] }),
    client: z
      .string()
      .describe("What the person signed in with: a client, or a browser for their own side of the console.")
      .meta({ examples: ["Claude Code"] }),
    agent: z.string().describe("What the client calls itself, shortened."),
    address: z
      .string()
      .describe("Where the sign-in came from.")
      .meta({ examples: ["192.0.2.7"] }),
    created_at: instant,
    refreshed_at: instant.describe("When its tokens were last replaced."),
    last_used_at: instant.nullable().describe("When it last sent a request, to five minutes at best; null: not yet."),
    expires_at: instant.describe("When it ends unless it is refreshed before."),
  })
  .meta({ id: "ClientSession" })
  .transform((session) => ({
    id: session.id,
    personId: session.person_id,
    email: session.email,
    name: session.name,
    accountId: session.account_id,
    account: session.account,
    prefix: session.prefix,
    client: session.client,
    agent: session.agent,
    address: session.address,
    createdAtMs: session.created_at,
    refreshedAtMs: session.refreshed_at,
    usedAtMs: session.last_used_at,
    expiresAtMs: session.expires_at,
  }));

export const clientSessionView = (
  session: ReadAs<typeof clientSessionSchema>,
): WrittenAs<typeof clientSessionSchema> => ({
  id: session.id,
  person_id: session.personId,
  email: session.email,
  name: session.name,
  account_id: session.accountId,
  account: session.account,
  prefix: session.prefix,
  client: session.client,
  agent: session.agent,
  address: session.address,
  created_at: dateOf(session.createdAtMs),
  refreshed_at: dateOf(session.refreshedAtMs),
  last_used_at: session.usedAtMs === null ? null : dateOf(session.usedAtMs),
  expires_at: dateOf(session.expiresAtMs),
});

export const clientSessionListSchema = pageSchema(clientSessionSchema);
