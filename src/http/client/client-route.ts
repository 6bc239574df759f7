import { Fault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import type { Caller } from "../../gateway/open-request.ts";
import { renderFormatB } from "../../wire/errors/format-b.ts";
import type { Exchange, PublicRoute } from "../public-route.ts";

/** What the paths have in common that signed-in clients ask beside the interface: a bearer, errors as their format has them. */
export const CLIENT_ROUTE = {
  origins: ["credit"],
  name: "client",
  dialect: null,
  credential: { scheme: "bearer", required: true },
  rate: "counted_if_possible",
  maxBodyBytes: 0,
  refusals: "full",
  render: renderFormatB,
} as const satisfies Partial<PublicRoute>;

export type SessionKey = Caller["key"] & { personId: string };

/** These paths are for people who signed in. A key of its own gets 404 there, as if they were not. */
export function sessionOf({ context: { caller } }: Pick<Exchange, "context">): SessionKey {
  invariant(caller, "a client without a caller");
  const { key } = caller;
  if (key.personId === null)
    throw new Fault("not_found", "Only signed-in clients have this. API keys have GET /v1/usage.");
  return { ...key, personId: key.personId };
}
