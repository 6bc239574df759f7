import type { Model } from "../../../catalogue/model.ts";
import type { CallFormat } from "../../../core/request/dialect.ts";
import { memberPolicyOf } from "../../../core/request/member-policy.ts";
import { soldCache } from "../../../core/money/price.ts";
import type { Route } from "../../../core/catalogue/route.ts";
import { type Fidelity, strictRefusal } from "../../../translate/fidelity/group-routes.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";
import { unsoldMarks } from "../../../wire/members/cache-marks.ts";
import type { UnknownMember } from "../../../wire/members/inspect-members.ts";
import { droppedMembers } from "../../../wire/members/unknown-members.ts";

type Asked = Pick<GenerationRequest, "unknown" | "cacheMarks" | "leftOut"> & { dialect: CallFormat };

/**
 * The members of a request that the provider of a route is not told: since its row says so, or since the model's price has nothing for
 * them, or since they mean nothing to anybody. What a translation loses is for the translation to say; this one it would have kept.
 */
export function untold(
  { dialect, unknown, cacheMarks, leftOut = [] }: Asked,
  route: Route,
  { price }: Pick<Model, "price">,
): readonly UnknownMember[] {
  const isStraight = route.dialect === dialect;
  const own = isStraight && unknown.listed.length > 0 ? droppedMembers(unknown, memberPolicyOf(route)) : [];
  const dropped = leftOut.length === 0 ? own : [...leftOut, ...own];
  // A translation loses all of these but the ones that this pair has in common, and says so itself.
  const marks = isStraight
    ? cacheMarks
    : dialect === "chat" && route.dialect === "messages"
      ? cacheMarks.filter(isKept)
      : [];
  if (marks.length === 0) return dropped;
  const named = new Set(dropped.map(({ path }) => path));
  return [...dropped, ...unsoldMarks(marks, soldCache(price)).filter(({ path }) => !named.has(path))];
}

const KEPT: ReadonlySet<string> = new Set(["messages.*.content.*.cache_control", "tools.*.cache_control"]);
const isKept = ({ path }: UnknownMember): boolean => KEPT.has(path);

/** The routes that a caller can do with: of one that wants no loss, those whose providers are told everything. */
export function routesFor<On extends Route>(
  request: Asked,
  model: Pick<Model<On>, "routes" | "price">,
  wanted: Fidelity,
): readonly On[] {
  const { routes } = model;
  if (wanted === "declared" || losesNothing(request)) return routes;
  const telling = routes.filter((route) => untold(request, route, model).length === 0);
  const [loss] = routes.flatMap((route) => untold(request, route, model));
  if (telling.length === 0 && loss !== undefined) throw strictRefusal(loss);
  return telling;
}

const losesNothing = ({ unknown, cacheMarks, leftOut = [] }: Asked): boolean =>
  unknown.listed.length === 0 && cacheMarks.length === 0 && leftOut.length === 0;
