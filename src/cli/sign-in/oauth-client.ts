import { setTimeout as wait } from "node:timers/promises";
import { isObject } from "../../core/bytes/is-object.ts";
import { packageVersion } from "../../config/package-version.ts";
import { CommandError } from "../report-failure.ts";

/** What a gateway gave to a client that signed in. */
export type SignedInTokens = { accessToken: string; refreshToken: string; expiresAtMs: number };

export type StartedSignIn = {
  deviceCode: string;
  userCode: string;
  page: string;
  completePage: string;
  expiresInMs: number;
  intervalMs: number;
};

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const TIMEOUT_MS = 10_000;
/** How much longer a client waits that was told to slow down. [RFC 8628 3.5] */
const SLOWER_MS = 5_000;

type Answer = { status: number; body: Record<string, unknown> };

async function post(origin: string, path: string, form: Record<string, string>): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`${origin}${path}`, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": `tollgate/${packageVersion()}`,
      },
      body: new URLSearchParams(form).toString(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    throw new CommandError(`${origin} does not answer. Check the URL and that the gateway runs.`, { cause });
  }
  const body: unknown = await response.json().catch(() => null);
  return { status: response.status, body: isObject(body) ? body : {} };
}

export async function startSignIn(origin: string): Promise<StartedSignIn> {
  const { status, body } = await post(origin, "/oauth/device_authorization", { surface: "tollgate" });
  if (status === 404)
    throw new CommandError(
      `${origin} has no sign-in. Ask the operator to configure an identity provider (sign_in.issuer).`,
    );
  if (status !== 200) throw refused(origin, { status, body });
  return {
    deviceCode: textIn(body, "device_code"),
    userCode: textIn(body, "user_code"),
    page: textIn(body, "verification_uri"),
    completePage: typeof body["verification_uri_complete"] === "string" ? body["verification_uri_complete"] : "",
    expiresInMs: numberIn(body, "expires_in") * 1_000,
    intervalMs: numberIn(body, "interval") * 1_000,
  };
}

/** Asks until the person has decided. */
export async function awaitTokens(origin: string, started: StartedSignIn): Promise<SignedInTokens> {
  const form = { grant_type: DEVICE_GRANT, device_code: started.deviceCode };
  let { intervalMs } = started;
  for (let waitedMs = 0; waitedMs < started.expiresInMs; waitedMs += intervalMs) {
    await wait(intervalMs);
    const answer = await post(origin, "/oauth/token", form);
    if (answer.status === 200) return tokensIn(answer.body);
    const { error } = answer.body;
    if (error === "slow_down") intervalMs += SLOWER_MS;
    else if (error === "access_denied") throw new CommandError("the sign-in was denied.");
    else if (error === "expired_token") break;
    else if (error !== "authorization_pending") throw refused(origin, answer);
  }
  throw new CommandError("the code has expired. Run `tollgate login` again.");
}

/** Null: the session is over. */
export async function refreshTokens(origin: string, refreshToken: string): Promise<SignedInTokens | null> {
  const answer = await post(origin, "/oauth/token", { grant_type: "refresh_token", refresh_token: refreshToken });
  if (answer.status === 200) return tokensIn(answer.body);
  if (answer.body["error"] === "invalid_grant") return null;
  throw refused(origin, answer);
}

export async function revokeToken(origin: string, token: string): Promise<void> {
  const answer = await post(origin, "/oauth/revoke", { token });
  if (answer.status !== 200) throw refused(origin, answer);
}

const tokensIn = (body: Record<string, unknown>): SignedInTokens => ({
  accessToken: textIn(body, "access_token"),
  refreshToken: textIn(body, "refresh_token"),
  expiresAtMs: Date.now() + numberIn(body, "expires_in") * 1_000,
});

function refused(origin: string, { status, body }: Answer): CommandError {
  const said = body["error_description"] ?? body["error"];
  return new CommandError(`${origin} answered ${status}${typeof said === "string" ? `: ${said.slice(0, 300)}` : "."}`);
}

function textIn(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  if (typeof value !== "string" || !/^[\x21-\x7e]{1,4096}$/.test(value)) throw strange(name);
  return value;
}

function numberIn(body: Record<string, unknown>, name: string): number {
  const value = body[name];
  if (typeof value !== "number" || !(value > 0 && value <= 31_536_000)) throw strange(name);
  return value;
}

const strange = (name: string): CommandError =>
  new CommandError(`the gateway's response has no valid ${name}. Check that the URL leads to a Tollgate.`);
