import { isObject } from "../../core/bytes/is-object.ts";
import type { ClientConnection } from "./connection.ts";

/** What the gateway answered to a question of a client's. `stop`: nothing is written. */
export type GatewayReply = { verdict: "good" | "warning" | "stop"; line: string };

const TIMEOUT_MS = 10_000;
const DISCOVERY = "/.well-known/oauth-authorization-server";

type Answer = { status: number; body: unknown };

async function get(url: string, headers: Record<string, string>): Promise<Answer | { unreachable: string }> {
  try {
    const response = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch (error) {
    const { cause, message } = error as Error;
    return { unreachable: cause instanceof Error && cause.message !== "" ? cause.message : message };
  }
}

/** Whether a token is good in both headers at once, which is how Claude Code sends what a command printed. */
export async function askEqualCredentials({ origin, key }: ClientConnection): Promise<GatewayReply> {
  const answer = await get(`${origin}/v1/models`, { authorization: `Bearer ${key}`, "x-api-key": key });
  if ("unreachable" in answer) return { verdict: "warning", line: `${origin} can't be reached: ${answer.unreachable}` };
  if (answer.status !== 401)
    return { verdict: "good", line: `${origin} accepts the token in both headers, as Claude Code sends it.` };
  return {
    verdict: "warning",
    line: `${origin} rejects a token that is sent in both headers, as Claude Code sends it: its requests get 401. Ask the operator to set \`auth.accept_equal_credentials: on\`, or use --fleet.`,
  };
}

/** Whether clients find the sign-in there, and accept what they find: only addresses of the origin that they were given. */
export async function askSignIn({ origin }: ClientConnection): Promise<GatewayReply> {
  const stop = (line: string): GatewayReply => ({ verdict: "stop", line });
  const answer = await get(`${origin}${DISCOVERY}`, {});
  if ("unreachable" in answer) return stop(`${origin} can't be reached: ${answer.unreachable}`);
  const { status, body } = answer;
  if (status === 404) return stop(`People can't sign in at ${origin}: the gateway has no sign_in.issuer.`);
  const named = isObject(body) ? body["issuer"] : undefined;
  if (status !== 200 || typeof named !== "string")
    return stop(`${origin}${DISCOVERY} answered ${status}. Is this a Tollgate gateway?`);
  if (named !== origin)
    return stop(
      `The gateway calls itself ${named}, and clients that were given ${origin} reject that. Set public_url to ${origin}, or pass --url ${named}.`,
    );
  return { verdict: "good", line: `People can sign in at ${origin}.` };
}
