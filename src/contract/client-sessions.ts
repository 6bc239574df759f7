import { z } from "zod";
import type { ManageClientSessions } from "../entrance/client-session/manage-client-sessions.ts";
import { instant } from "../wire/instant.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { ofPerson, ofPersonSession, sessionsEnded, sessionsKept } from "../wire/admin/people.ts";
import { renamed, sparse } from "../wire/codec.ts";
import type { Operations } from "./operation.ts";

const clientSessionQuery = sparse(
  z.strictObject({
    ...pageQuery(100).in.shape,
    person: z.string().max(300).exactOptional().describe("Whose: an email or an id. Omit it for everybody's."),
    account: z
      .string()
      .max(1_000)
      .exactOptional()
      .describe("Only those in this account and below it: an id or the names from the root down."),
  }),
);

const clientSession = renamed(
  z
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
    .meta({ id: "ClientSession" }),
  {
    personId: "person_id",
    accountId: "account_id",
    createdAtMs: "created_at",
    refreshedAtMs: "refreshed_at",
    usedAtMs: "last_used_at",
    expiresAtMs: "expires_at",
  },
);

export const clientSessionPage = pageSchema(clientSession);

export const CUT = "Requests with it are rejected from now on, and running streams are cut.";
const named = (name: string) => ({ kind: "person", name }) as const;

/** What operators do with clients that people signed in with, below `/admin/v1`. */
export const CLIENT_SESSIONS: Operations<ManageClientSessions> = {
  list: {
    id: "listClientSessions",
    method: "GET",
    path: "/client-sessions",
    summary: "List clients that people are signed in with, newest first",
    payload: clientSessionQuery,
    answer: clientSessionPage,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  endAll: {
    id: "endClientSessions",
    method: "DELETE",
    path: "/people/{person}/client-sessions",
    summary: "Sign a person out of all their clients, or of all but one",
    description: CUT,
    params: ofPerson,
    payload: sessionsKept,
    answer: sessionsEnded,
    refusals: ["invalid_request", "not_found"],
    audit: { action: "client_session.end", of: named, asked: (_name, which) => which },
  },
  end: {
    id: "endClientSession",
    method: "DELETE",
    path: "/people/{person}/client-sessions/{session}",
    summary: "Sign a person out of one client",
    description: CUT,
    params: ofPersonSession,
    answer: sessionsEnded,
    refusals: ["invalid_request", "not_found"],
    audit: { action: "client_session.end", of: named, asked: (_name, id) => ({ id }) },
  },
};
