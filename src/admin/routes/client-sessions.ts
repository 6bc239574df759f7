import { CLIENT_SESSIONS, clientSessionPage, CUT } from "../../contract/client-sessions.ts";
import { pageQuery } from "../../wire/admin/page.ts";
import { ofOwnSession, sessionsEnded } from "../../wire/admin/people.ts";
import { written } from "../../wire/validate.ts";
import { type AdminRoute, route } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";
import { oneself } from "./session.ts";

const OWN = "/admin/v1/session/clients";

/** Clients that people signed in with, for operators and for themselves. */
export const clientSessionRoutes: readonly AdminRoute[] = [
  ...serveOperations({ tag: "people", operations: CLIENT_SESSIONS, of: ({ clientSessions }) => clientSessions }),
  route({
    id: "listOwnClientSessions",
    tag: "session",
    method: "GET",
    path: OWN,
    summary: "List the clients that you are signed in with, newest first",
    query: pageQuery(100),
    answers: { 200: clientSessionPage },
    refusals: ["invalid_request"],
    handle: async ({ operator: { clientSessions } }, { query, person }) => ({
      status: 200,
      body: written(clientSessionPage, await clientSessions.list({ ...query, person: oneself(person), account: null })),
    }),
  }),
  route({
    id: "endOwnClientSession",
    tag: "session",
    method: "DELETE",
    path: `${OWN}/{session}`,
    summary: "Sign out of one of your clients",
    description: CUT,
    params: ofOwnSession,
    answers: { 200: sessionsEnded },
    refusals: ["invalid_request"],
    handle: async ({ operator: { clientSessions } }, { params, by, person }) => ({
      status: 200,
      body: await clientSessions.end(oneself(person), params.session, by),
    }),
  }),
];
