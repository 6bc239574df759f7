import type { DeviceSignIn } from "../../core/people/device-sign-in.ts";
import { Fault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import type { RenderFault } from "../../wire/errors/shape.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import type { RequireOwnOrigin } from "../credential/own-origin.ts";
import { type Exchange, NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { type BrowserParts, browserRoutes, enterConsole } from "./browser-routes.ts";
import type { DeviceCookie } from "./device-cookie.ts";
import { approvedPage, codePage, decisionPage, deniedPage, problemPage } from "./device-pages.ts";
import { type ReadForm, sole } from "./read-form.ts";
import { pageHeaders, sendAway, sendPage } from "./send-page.ts";
import { SIGN_IN_ROUTE } from "./sign-in-route.ts";
import { queryOf, visitorOf } from "./visitor.ts";

export type DeviceRouteParts = {
  deviceSignIn: DeviceSignIn;
  cookie: DeviceCookie;
  /** Null: there is no console for key holders. */
  browser: BrowserParts | null;
  readForm: ReadForm;
  requireOwnOrigin: RequireOwnOrigin;
  callerAddress: CallerAddress;
  publicUrl: () => string;
  /** The scheme of the identity provider, where the form of the code leads in the end. */
  providerScheme: "https:" | "http:";
};

/** The pages that a person sees. */
export function deviceRoutes(parts: DeviceRouteParts): readonly PublicRoute[] {
  const host = (): string => new URL(parts.publicUrl()).host;
  const render: RenderFault = (fault, requestId) => {
    const { status, headers } = renderFormatA(fault, requestId);
    return {
      status,
      headers: { ...headers, ...pageHeaders("'self'") },
      body: problemPage({ host: host(), message: fault.message, hasConsole: parts.browser !== null }),
    };
  };
  const route = { ...SIGN_IN_ROUTE, render };
  return [
    ...(parts.browser === null ? [] : browserRoutes(parts.browser, { ...parts, render })),
    { ...route, method: "GET", path: "/device", work: (exchange) => showCode(parts, exchange, host()) },
    { ...route, method: "POST", path: "/device", work: (exchange) => takeCode(parts, exchange, host()) },
    { ...route, method: "GET", path: "/oauth/callback", work: (exchange) => comeBack(parts, exchange, host()) },
    { ...route, method: "POST", path: "/device/decision", work: (exchange) => decide(parts, exchange, host()) },
  ];
}

type Work = PublicRoute["work"];
type Shown = (parts: DeviceRouteParts, exchange: Exchange, host: string) => ReturnType<Work>;

const showCode: Shown = ({ deviceSignIn, providerScheme }, { request, response, context: { requestId } }, host) => {
  const typed = new URLSearchParams(queryOf(request)).get("user_code") ?? "";
  const html = codePage({ host, code: deviceSignIn.readCode(typed) ?? "", problem: null });
  const bytesOut = sendPage(response, { requestId, html, formAction: `'self' ${providerScheme}` });
  return Promise.resolve({ ...NOTHING_GENERATED, status: 200, bytesOut });
};

const takeCode: Shown = async (parts, exchange, host) => {
  const { deviceSignIn, cookie, readForm, requireOwnOrigin, callerAddress, providerScheme } = parts;
  const { request, response, context } = exchange;
  const { requestId } = context;
  requireOwnOrigin(request, "refused");
  const typed = sole(await readForm(exchange), "user_code") ?? "";
  try {
    const { url, state } = await deviceSignIn.enter(typed, visitorOf(exchange, callerAddress));
    return sendAway(response, { requestId, url, cookies: [cookie.set(state)] });
  } catch (error) {
    if (!(error instanceof Fault) || error.param !== "user_code") throw error;
    const html = codePage({ host, code: typed.slice(0, 20), problem: error.message });
    const bytesOut = sendPage(response, { requestId, html, status: 400, formAction: `'self' ${providerScheme}` });
    return { ...NOTHING_GENERATED, status: 400, code: error.code, bytesOut };
  }
};

const comeBack: Shown = async (parts, exchange, host) => {
  const { deviceSignIn, cookie, browser, callerAddress } = parts;
  const { request, response, context } = exchange;
  const query = queryOf(request);
  const own = browser?.cookie.read(request) ?? null;
  const isOwn = own !== null && own === new URLSearchParams(query).get("state");
  const came = { ...visitorOf(exchange, callerAddress), query, state: isOwn ? own : cookie.read(request) };
  const back = await deviceSignIn.cameBack(came);
  if (back.kind === "identified") {
    invariant(browser, "a browser came back to the console that there is");
    return enterConsole(browser, exchange, { ...back, ...visitorOf(exchange, callerAddress) });
  }
  const html = decisionPage(back.question, host);
  const bytesOut = sendPage(response, { requestId: context.requestId, html, cookie: cookie.set(back.secret) });
  return { ...NOTHING_GENERATED, status: 200, bytesOut };
};

const decide: Shown = async (parts, exchange, host) => {
  const { deviceSignIn, cookie, readForm, requireOwnOrigin, callerAddress } = parts;
  const { request, response, context } = exchange;
  requireOwnOrigin(request, "refused");
  const answer = sole(await readForm(exchange), "verdict");
  const secret = cookie.read(request);
  if (secret === null || (answer !== "approve" && answer !== "deny"))
    throw new Fault("invalid_request", "This answer does not come from the page that asked. Start again.");
  const verdict = answer === "approve" ? "approved" : "denied";
  const decided = await deviceSignIn.decide(secret, { ...visitorOf(exchange, callerAddress), verdict });
  const html = (verdict === "approved" ? approvedPage : deniedPage)({ host, ...decided });
  const bytesOut = sendPage(response, { requestId: context.requestId, html, cookie: cookie.clear() });
  return { ...NOTHING_GENERATED, status: 200, bytesOut };
};
