import type { DeviceSignIn, Visitor } from "../../core/people/device-sign-in.ts";
import type { SignInPerson } from "../../gateway/holder/sign-in-person.ts";
import type { RenderFault } from "../../wire/errors/shape.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import type { Exchange, PublicRoute } from "../public-route.ts";
import type { SessionCookie } from "../credential/session-cookie.ts";
import type { DeviceCookie } from "./device-cookie.ts";
import { sole } from "./read-form.ts";
import { sendAway } from "./send-page.ts";
import { SIGN_IN_ROUTE } from "./sign-in-route.ts";
import { queryOf, visitorOf } from "./visitor.ts";

/** What lets people without a key into the console. */
export type BrowserParts = {
  signInPerson: SignInPerson;
  /** Of the way through the identity provider. */
  cookie: DeviceCookie;
  /** Of the session that it ends in. */
  session: SessionCookie;
};

type Parts = { deviceSignIn: DeviceSignIn; callerAddress: CallerAddress; render: RenderFault };

/** GET /me/sign-in/oidc: sends a browser to the identity provider. It comes back where those come back that approve a client. */
export const browserRoutes = (
  { cookie }: BrowserParts,
  { deviceSignIn, callerAddress, render }: Parts,
): readonly PublicRoute[] => [
  {
    ...SIGN_IN_ROUTE,
    render,
    method: "GET",
    path: "/me/sign-in/oidc",
    work: async (exchange) => {
      const { request, response, context } = exchange;
      const returnTo = sole(new URLSearchParams(queryOf(request)), "return_to");
      const { url, state } = await deviceSignIn.beginInBrowser(returnTo, visitorOf(exchange, callerAddress));
      return sendAway(response, { requestId: context.requestId, url, cookies: [cookie.set(state)] });
    },
  },
];

type Entering = Visitor & { personId: string; returnTo: string };

/** Somebody came back: their browser gets a session under a token that nobody knew before. */
export async function enterConsole(
  { signInPerson, cookie, session }: BrowserParts,
  { response, context: { requestId } }: Pick<Exchange, "response" | "context">,
  { personId, returnTo, agent, address }: Entering,
) {
  const { token, lifetimeMs } = await signInPerson(personId, { agent, address });
  const cookies = [session.set(token, lifetimeMs), cookie.clear()];
  return sendAway(response, { requestId, url: returnTo, cookies });
}
