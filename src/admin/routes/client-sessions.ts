import {
  clientSessionListSchema,
  clientSessionPageSchema,
  clientSessionView,
} from "../../wire/admin/client-sessions.ts";
import { pageQuery, pageView } from "../../wire/admin/page.ts";
import { ofOwnSession, ofPerson, ofPersonSession, sessionsEnded, sessionsKept } from "../../wire/admin/people.ts";
import { type AdminRoute, route } from "../route.ts";
import { oneself } from "./session.ts";

const OF_PERSON = "/admin/v1/people/{person}/client-sessions";
const OWN = "/admin/v1/session/clients";
const CUT = "Requests with it are rejected from now on, and running streams are cut.";

/** Clients that people signed in with, for operators and for themselves. */
export const clientSessionRoutes: readonly AdminRoute[] = [
  route({
    id: "listClientSessions",
    tag: "people",
    method: "GET",
    path: "/admin/v1/client-sessions",
    summary: "List clients that people are signed in with, newest first",
    query: clientSessionPageSchema,
    answers: { 200: clientSessionListSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { clientSessions } }, { query: { person, account, ...page }, by }) => ({
      status: 200,
      body: pageView(await clientSessions.list({ person, account }, page, by), clientSessionView),
    }),
  }),
  route({
    id: "endClientSessions",
    tag: "people",
    method: "DELETE",
    path: OF_PERSON,
    summary: "Sign a person out of all their clients, or of all but one",
    description: CUT,
    params: ofPerson,
    query: sessionsKept,
    answers: { 200: sessionsEnded },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { clientSessions } }, { params, query, by }) => ({
      status: 200,
      body: await clientSessions.end(params.person, query, by),
    }),
  }),
  route({
    id: "endClientSession",
    tag: "people",
    method: "DELETE",
    path: `${OF_PERSON}/{session}`,
    summary: "Sign a person out of one client",
    description: CUT,
    params: ofPersonSession,
    answers: { 200: sessionsEnded },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { clientSessions } }, { params, by }) => ({
      status: 200,
      body: await clientSessions.end(params.person, { id: params.session }, by),
    }),
  }),
  route({
    id: "listOwnClientSessions",
    tag: "session",
    method: "GET",
    path: OWN,
    summary: "List the clients that you are signed in with, newest first",
    query: pageQuery(100),
    answers: { 200: clientSessionListSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { clientSessions } }, { query, person }) => ({
      status: 200,
      body: pageView(await clientSessions.list({ person: oneself(person), account: null }, query), clientSessionView),
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
      body: await clientSessions.end(oneself(person), { id: params.session }, by),
    }),
  }),
];
