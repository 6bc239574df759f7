import { memberPolicyOf } from "../../core/member-policy.ts";
import { type Fidelity, strictRefusal } from "../../translate/fidelity/group-routes.ts";
import type { Route } from "../../core/route.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { UnknownMember } from "../../wire/members/inspect-members.ts";
import { droppedMembers } from "../../wire/members/unknown-members.ts";

type Asked = Pick<GenerationRequest, "dialect" | "unknown">;

/** The members of a request that the provider of a route is not told, since its row says so. */
export function untold({ unknown }: Asked, route: Route): readonly UnknownMember[] {
  return unknown.listed.length === 0 ? [] : droppedMembers(unknown, memberPolicyOf(route));
}

/** The routes that a caller can do with: of one that wants no loss, those whose providers are told everything. */
export function routesFor(request: Asked, routes: readonly Route[], wanted: Fidelity): readonly Route[] {
  if (wanted === "declared" || request.unknown.listed.length === 0) return routes;
  // What a translation loses is for the translation to say.
  const telling = routes.filter((route) => route.dialect !== request.dialect || untold(request, route).length === 0);
  const [loss] = routes.flatMap((route) => untold(request, route));
  if (telling.length === 0 && loss !== undefined) throw strictRefusal(loss);
  return telling;
}
