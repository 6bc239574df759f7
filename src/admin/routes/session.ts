import type { By } from "../../core/by.ts";
import { Forbidden } from "../../core/forbidden.ts";
import { ROLES } from "../../core/role.ts";
import {
  callerSchema,
  callerView,
  newTokenSchema,
  ofOwnSession,
  ofToken,
  ownSessionListSchema,
  sessionsEndedSchema,
  sessionView,
  setupSchema,
  shownSessionSchema,
  signedOutSchema,
  signInSchema,
  tokenListSchema,
  tokenMadeSchema,
  tokenPageSchema,
  tokenRevokedSchema,
  tokenView,
} from "../../wire/admin/people.ts";
import type { OpenedSession, SignInPlace } from "../../operator/password-sign-in.ts";
import type { KnownPerson } from "../../operator/identify.ts";
import { pageView } from "../../wire/admin/page.ts";
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
  body: callerView({ actor: person.email, via: session.via, person, token: null }),
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
    answers: { 201: callerSchema },
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
    answers: { 201: callerSchema },
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
    answers: { 200: shownSessionSchema },
    handle: ({ gatewayUrl }, { by, person }) => ({
      status: 200,
      body: {
        ...callerView({
          actor: by.actor,
          via: person?.via ?? "automation",
          person: person?.person ?? null,
          token: person?.token ?? null,
        }),
        gateway_url: gatewayUrl(),
      },
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
    answers: { 200: ownSessionListSchema },
    handle: async ({ operator: { people } }, { by, person }) => {
      const sessions = await people.sessions(oneself(person));
      return { status: 200, body: { sessions: sessions.map(sessionView), current: by.sessionId ?? null } };
    },
  }),
  route({
    id: "endOwnSession",
    tag: "session",
    method: "DELETE",
    path: "/admin/v1/sessions/{session}",
    summary: "End one of your sessions",
    params: ofOwnSession,
    answers: { 200: sessionsEndedSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { people } }, { params, by, person }) => ({
      status: 200,
      body: await people.endSessions(oneself(person), { id: params.session }, by),
    }),
  }),
  route({
    id: "endOtherSessions",
    tag: "session",
    method: "DELETE",
    path: "/admin/v1/sessions",
    summary: "End all your sessions but the one you ask in",
    answers: { 200: sessionsEndedSchema },
    handle: async ({ operator: { people } }, { by, person }) => ({
      status: 200,
      body: await people.endSessions(oneself(person), { except: by.sessionId ?? null }, by),
    }),
  }),
  route({
    id: "createToken",
    tag: "session",
    method: "POST",
    path: "/admin/v1/tokens",
    summary: "Create a personal token for a program",
    description:
      "Only this response contains the secret. A token can't create tokens: use a session, or the automation token with `person`.",
    body: newTokenSchema,
    answers: { 201: tokenMadeSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { tokens } }, { body: { person: of, ...order }, by, person }) => {
      const { token, secret } = await tokens.create(ownerOf(of, person), order, { ...by, ...placesOf(person) });
      return { status: 201, body: { token: tokenView(token), secret } };
    },
  }),
  route({
    id: "listTokens",
    tag: "session",
    method: "GET",
    path: "/admin/v1/tokens",
    summary: "List your personal tokens; owners everywhere see everybody's",
    query: tokenPageSchema,
    answers: { 200: tokenListSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { tokens } }, { query: { person: of, ...page }, person }) => ({
      status: 200,
      body: pageView(await tokens.list(isOverseer(person) ? of : (person?.person.id ?? null), page), tokenView),
    }),
  }),
  route({
    id: "revokeToken",
    tag: "session",
    method: "DELETE",
    path: "/admin/v1/tokens/{token}",
    summary: "Revoke a personal token of yours; owners everywhere revoke anybody's",
    params: ofToken,
    answers: { 200: tokenRevokedSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { tokens } }, { params, by, person }) => {
      const of = isOverseer(person) ? null : (person?.person.id ?? null);
      const { token, changed } = await tokens.revoke(of, params.token, by);
      return { status: 200, body: { token: tokenView(token), changed } };
    },
  }),
];

export function oneself(person: KnownPerson | null): string {
  if (person === null) throw new Forbidden("The automation token belongs to no person and has no sessions.");
  return person.person.id;
}

/** Where any of their roles holds. Of other accounts they learn nothing, not even by asking for a token there. */
function placesOf(person: KnownPerson | null): Pick<By, "within"> {
  const reach = person === null ? "everywhere" : person.reach(ROLES);
  return reach === "everywhere" ? {} : { within: reach ?? [] };
}

const isOverseer = (person: KnownPerson | null): boolean => person === null || person.reach(["owner"]) === "everywhere";

/** Whose token is made. A token that leaked must not beget others that outlive it. */
function ownerOf(of: string | null, person: KnownPerson | null): string {
  if (person === null) {
    if (of === null) throw new Forbidden("The automation token belongs to no person: name one.");
    return of;
  }
  if (person.via === "token") throw new Forbidden("A token can't create tokens. Sign in, or use the automation token.");
  if (of !== null && ![person.person.id, person.person.email].includes(of.toLowerCase()))
    throw new Forbidden("You create tokens for yourself. Others' need the automation token.");
  return person.person.id;
}
