import { Fault } from "../../core/fault.ts";
import type { SignIn } from "../../entrance/single-sign-on/sign-in.ts";
import { backFromProviderSchema, beginSignInSchema, redirectSchema, waysInSchema } from "../../wire/admin/sign-in.ts";
import type { AdminParts } from "../admin-parts.ts";
import { type AdminRoute, route } from "../route.ts";

const PATH = "/admin/v1/sign-in/oidc";
export const SIGN_IN_CALLBACK = `${PATH}/callback` as const;
const COOKIE_SECONDS = 600;
const STATE = /^[\w-]{1,200}$/;

/** Holds what a sign-in began with, so that no other browser can end it. Behind https no other host of the domain can set it. */
export function signInCookie(isSecure: boolean) {
  const name = `${isSecure ? "__Host-" : ""}tollgate_sign_in`;
  return {
    write: (state: string): string =>
      `${name}=${state}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${state === "" ? 0 : COOKIE_SECONDS}${isSecure ? "; Secure" : ""}`,
    read: (header: string | undefined): string | null => {
      const pairs = (header ?? "").split(";").map((pair) => pair.trim());
      const [state = "", ...others] = pairs.flatMap((pair) =>
        pair.startsWith(`${name}=`) ? pair.slice(name.length + 1) : [],
      );
      return others.length === 0 && STATE.test(state) ? state : null;
    },
  };
}

function signInOf({ signIn }: AdminParts): SignIn {
  if (signIn === null) throw new Fault("not_found", "Single sign-on is off. Set sign_in.issuer to turn it on.");
  return signIn;
}

export const signInRoutes: readonly AdminRoute[] = [
  route({
    id: "showWaysIn",
    tag: "session",
    method: "GET",
    path: "/admin/v1/sign-in",
    summary: "Show how people can sign in",
    credential: "none",
    answers: { 200: waysInSchema },
    handle: async ({ signIn, passwordSignIn, identify, cookie }, { came }) => {
      const secret = cookie.read(came.headers.cookie);
      const [isSetUp, person] = await Promise.all([
        passwordSignIn.isSetUp(),
        secret === null ? null : identify.bySession(secret),
      ]);
      return { status: 200, body: { sso: signIn !== null, setup: !isSetUp, signed_in: person !== null } };
    },
  }),
  route({
    id: "beginSignIn",
    tag: "sign-in",
    method: "GET",
    path: PATH,
    summary: "Sign in through the identity provider",
    description: "For browsers: redirects to the OpenID Connect provider of `sign_in.issuer`.",
    credential: "none",
    media: "text/plain",
    query: beginSignInSchema,
    answers: { 303: redirectSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async (parts, { query: returnTo }) => {
      const { url, state } = await signInOf(parts).begin(returnTo);
      return { status: 303, body: "", location: url, cookie: [signInCookie(parts.cookie.isSecure).write(state)] };
    },
  }),
  route({
    id: "endSignIn",
    tag: "sign-in",
    method: "GET",
    path: SIGN_IN_CALLBACK,
    summary: "Return from the identity provider",
    description:
      "The provider redirects browsers here. Opens a session, always under a new id, and redirects to the path that the sign-in began with.",
    credential: "none",
    media: "text/plain",
    query: backFromProviderSchema,
    answers: { 303: redirectSchema },
    refusals: ["invalid_request", "invalid_credentials", "forbidden", "not_found"],
    handle: async (parts, { came, by }) => {
      const { address, agent, headers, url } = came;
      const query = url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
      const begun = signInCookie(parts.cookie.isSecure);
      const ended = await signInOf(parts).finish({
        query,
        state: begun.read(headers.cookie),
        address,
        agent,
        requestId: by.requestId,
      });
      const cookie = [parts.cookie.write(ended.secret), begun.write("")];
      return { status: 303, body: "", location: ended.returnTo, cookie };
    },
  }),
];
