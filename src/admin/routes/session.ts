import { Forbidden } from "../../core/forbidden.ts";
import {
  caller,
  ofOwnSession,
  ownSessionList,
  sessionsEnded,
  setupSchema,
  shownSession,
  signedOutSchema,
  signInSchema,
} from "../../wire/admin/people.ts";
import type { OpenedSession, SignInPlace } from "../../entrance/password/password-sign-in.ts";
import type { KnownPerson } from "../../entrance/identify.ts";
import { written } from "../../wire/validate.ts";
import { type AdminRoute, type Came, route } from "../route.ts";
import { requireOwnOrigin, type PersonCookie } from "../session-cookie.ts";

const SMALL_BODY = 4_096;

/** A browser elsewhere must not sign anybody in, and no password is for a network to read. */
export function placeOf(came: Came, cookie: PersonCookie): SignInPlace {
  if (came.headers.origin !== undefined) requireOwnOrigin(came, cookie);
  if (!cookie.isSecure && !came.isLocal)
    throw new Forbidden(
      "Passwords are accepted over https, or on the machine itself. Put a TLS proxy in front and set admin.public_url to its https address.",
    );
  return { address: came.address, agent: came.agent, before: cookie.read(came.headers.cookie) };
}

const welcome = ({ person, session, secret }: OpenedSession, cookie: PersonCookie) => ({
  status: 201 as const,
  body: written(caller, { actor: person.email, via: session.via, person, token: null }),
  cookie: cookie.write(secret),
});

export const sessionRoutes: readonly AdminRoute[] = [
  route({
    id: "signIn",
    tag: "session",
    method: "POST",
    path: "/admin/v1/session",
    summary: "Sign in with email and password",
    description:
      "The response sets the session cookie. After 10 failures of an email from one address, the next attempt waits for the rest of 15 minutes.",
    credential: "none",
    maxBodyBytes: SMALL_BODY,
    body: signInSchema,
    answers: { 201: caller },
    refusals: ["invalid_request", "invalid_credentials", "forbidden", "rate_limit_exceeded"],
    handle: async ({ passwordSignIn: signIn, cookie }, { body, by, came }) => {
      const from = { ...by, actor: body.email, address: came.address };
      return welcome(await signIn.withPassword(body, placeOf(came, cookie), from), cookie);
    },
  }),
  route({
    id: "setUp",
    tag: "session",
    method: "POST",
    path: "/admin/v1/setup",
    summary: "Make the first owner, with the setup token that `tollgate serve` printed",
    credential: "none",
    maxBodyBytes: SMALL_BODY,
    body: setupSchema,
    answers: { 201: caller },
    refusals: ["invalid_request", "invalid_credentials", "forbidden", "conflict", "rate_limit_exceeded"],
    handle: async ({ passwordSignIn: signIn, cookie }, { body: { token, ...owner }, by, came }) => {
      const from = { ...by, actor: owner.email, address: came.address };
      return welcome(await signIn.setUp(token, owner, placeOf(came, cookie), from), cookie);
    },
  }),
  route({
    id: "showSession",
    tag: "session",
    method: "GET",
    path: "/admin/v1/session",
    summary: "Show who you are and what you may do",
    answers: { 200: shownSession },
    handle: ({ gatewayUrl }, { by, person }) => ({
      status: 200,
      body: written(shownSession, {
        actor: by.actor,
        via: person?.via ?? "automation",
        person: person?.person ?? null,
        token: person?.token ?? null,
        gateway_url: gatewayUrl(),
      }),
    }),
  }),
  route({
    id: "signOut",
    tag: "session",
    method: "DELETE",
    path: "/admin/v1/session",
    summary: "Sign out: end this session",
    answers: { 200: signedOutSchema },
    handle: async ({ passwordSignIn: signIn, cookie }, { came, by }) => {
      const secret = cookie.read(came.headers.cookie);
      if (secret !== null) await signIn.out(secret, by);
      return { status: 200, body: { signed_out: true as const }, cookie: cookie.clear() };
    },
  }),
  route({
    id: "listOwnSessions",
    tag: "session",
    method: "GET",
    path: "/admin/v1/sessions",
    summary: "List the browsers in which you are signed in",
    answers: { 200: ownSessionList },
    handle: async ({ operator: { people } }, { by, person }) => {
      const sessions = await people.sessions(oneself(person));
      return { status: 200, body: written(ownSessionList, { sessions, current: by.sessionId ?? null }) };
    },
  }),
  route({
    id: "endOwnSession",
    tag: "session",
    method: "DELETE",
    path: "/admin/v1/sessions/{session}",
    summary: "End one of your sessions",
    params: ofOwnSession,
    answers: { 200: sessionsEnded },
    refusals: ["invalid_request"],
    handle: async ({ operator: { people } }, { params, by, person }) => ({
      status: 200,
      body: await people.endSession(oneself(person), params.session, by),
    }),
  }),
  route({
    id: "endOtherSessions",
    tag: "session",
    method: "DELETE",
    path: "/admin/v1/sessions",
    summary: "End all your sessions but the one you ask in",
    answers: { 200: sessionsEnded },
    handle: async ({ operator: { people } }, { by, person }) => ({
      status: 200,
      body: await people.endSessions(oneself(person), { except: by.sessionId ?? null }, by),
    }),
  }),
];

export function oneself(person: KnownPerson | null): string {
  if (person === null) throw new Forbidden("The automation token belongs to no person and has no sessions.");
  return person.person.id;
}
