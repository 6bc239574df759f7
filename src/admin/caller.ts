import type { IncomingHttpHeaders } from "node:http";
import type { By } from "../core/people/by.ts";
import { Forbidden } from "../core/forbidden.ts";
import { Fault } from "../core/fault.ts";
import type { Identify, KnownPerson } from "../entrance/identify.ts";
import type { RefusedOperator } from "../telemetry/events.ts";
import type { Access } from "./access-table.ts";
import { type AdminTokens, isMetricsToken, isOperatorToken, presentedIn } from "./operator-credential.ts";
import { requireOwnOrigin, type PersonCookie } from "./session-cookie.ts";

/** Whoever asks: a person, or (null) the automation token, which may do everything. */
export type AdminCaller = { by: By; person: KnownPerson | null };

export type CallerParts = AdminTokens & {
  identify: Pick<Identify, "bySession" | "byToken">;
  cookie: PersonCookie;
};

type Came = { method: string; headers: IncomingHttpHeaders; address: string; requestId: string };

const TOKEN_PREFIX = "tgp_";
const UNKNOWN =
  "Send the automation token or a personal token as `Authorization: Bearer <token>`, or sign in with POST /admin/v1/session.";

/** Who it is. Throws where nobody is known by what was sent. */
export async function recogniseCaller(came: Came, parts: CallerParts): Promise<AdminCaller> {
  const { headers, address, requestId } = came;
  if (headers.authorization !== undefined) {
    const presented = presentedIn(headers.authorization);
    if (isOperatorToken(presented, parts))
      return { by: { actor: "admin", requestId, address, via: "automation" }, person: null };
    return personally(await parts.identify.byToken(presented), came);
  }
  const secret = parts.cookie.read(headers.cookie);
  const person = secret === null ? null : await parts.identify.bySession(secret);
  if (person !== null) requireOwnOrigin(came, parts.cookie);
  return personally(person, came);
}

/** What was sent, for the log. */
export function credentialIn(
  { authorization, cookie }: IncomingHttpHeaders,
  parts: Pick<CallerParts, "cookie">,
): RefusedOperator["credential"] {
  if (authorization !== undefined)
    return presentedIn(authorization).startsWith(TOKEN_PREFIX) ? "personal token" : "token";
  return parts.cookie.read(cookie) === null ? "none" : "session";
}

/** For metrics, whose token says nothing of who it is. */
export const isMetricsReader = ({ authorization }: IncomingHttpHeaders, tokens: AdminTokens): boolean =>
  isMetricsToken(presentedIn(authorization), tokens);

function personally(known: KnownPerson | null, { address, requestId }: Came): AdminCaller {
  if (known === null) throw new Fault("invalid_credentials", UNKNOWN);
  const { person, via, sessionId } = known;
  const by = { actor: person.email, requestId, personId: person.id, address, via };
  return { by: sessionId === null ? by : { ...by, sessionId }, person: known };
}

/** The same caller for one operation: where it may be done is in `by.within`. Throws where their role does not allow it. */
export function permit({ by, person }: AdminCaller, access: Access | null): AdminCaller {
  if (person === null) return { by, person };
  if (access === null) throw new Forbidden("This operation is for the automation token alone.");
  if (access.roles === "anyone") return { by, person };
  const reach = person.reach(access.roles);
  const needed = access.roles.join(", ");
  if (reach === null) throw new Forbidden(`This needs one of the roles ${needed}. Ask an owner for a grant.`);
  if (reach === "everywhere") return { by, person };
  if (access.subtree === null)
    throw new Forbidden(`This needs one of the roles ${needed} everywhere; yours holds for some accounts alone.`);
  return { by: { ...by, within: reach }, person };
}
