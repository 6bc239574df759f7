import type { ProviderDialect } from "../../core/request/dialect.ts";
import { type Fault, fieldFault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { sealsOf } from "../form/native.ts";
import { withoutSealed } from "../sealed-thoughts.ts";
import type { ModelFacts } from "./field-row.ts";
import { type Loss, lossesOf, type Losses } from "./losses.ts";

/** How much a caller will put up with: anything that is declared, or nothing. */
export type Fidelity = "declared" | "strict";

/** Routes of one format, and what a request loses on them. */
export type RouteGroup<Route> = { routes: readonly Route[]; fidelity: string };

/** The routes that a request may be sent along, by the formats of their providers. */
export type RouteGroups<Route> = {
  best: RouteGroup<Route>;
  /** Those to take when the best has failed, best first. Found when asked for, since it means to read the whole body. */
  others: () => readonly RouteGroup<Route>[];
};

const EXACT = "exact";
const TRANSLATED = "translated";
/** Enough to say what is lost, and little enough for a header. */
const MOST_NAMED = 24;

type Asked = Pick<GenerationRequest, "dialect" | "bytes" | "stamp">;

/** What a route says of where it leads. */
type Destination = { dialect: ProviderDialect; upstreamModel?: string };

/** The routes of a model, and what is known of it. */
type Offer<Route> = { routes: readonly Route[] } & ModelFacts;

/**
 * Routes that speak the caller's own format come first, for nothing of the caller's is lost on them; then those on which the least
 * is lost. A group at which the request would become another one is closed, as is any loss to a caller that asked for none; when
 * all are closed, the request is refused.
 */
export function groupRoutes<Route extends Destination>(
  request: Asked,
  offer: Offer<Route>,
  wanted: Fidelity,
): RouteGroups<Route> {
  const { routes } = offer;
  if (routes.length === 0) return { best: { routes, fidelity: EXACT }, others: () => [] };
  const own = routes.filter(({ dialect }) => dialect === request.dialect);
  if (own.length > 0) {
    const best = { routes: own, fidelity: declaration(EXACT, accepted(sealedLosses(request), wanted)) };
    let others: readonly RouteGroup<Route>[] | null = own.length === routes.length ? [] : null;
    return { best, others: () => (others ??= groupsAcross(request, offer, wanted).open) };
  }
  const { open, closed } = groupsAcross(request, offer, wanted);
  const [best, ...others] = open;
  if (best === undefined) throw refusalOf(closed);
  return { best, others: () => others };
}

/** The group that a route is in. */
export function groupOf<Route>({ best, others }: RouteGroups<Route>, route: Route): RouteGroup<Route> {
  if (best.routes.includes(route)) return best;
  const group = others().find(({ routes }) => routes.includes(route));
  invariant(group, "a route that is in no group was taken");
  return group;
}

type Closed = { refused: Loss | null; lost: Loss | null };

/** Every format but the caller's own: the groups that are open, least loss first, and why the others are not. */
function groupsAcross<Route extends Destination>(
  { dialect: client, bytes, stamp }: Asked,
  { routes, reasoning }: Offer<Route>,
  wanted: Fidelity,
): { open: RouteGroup<Route>[]; closed: Closed[] } {
  const dialects = new Set(routes.map(({ dialect }) => dialect).filter((dialect) => dialect !== client));
  const body = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  const { open } = sealsOf(stamp);
  const groups = [...dialects]
    .map((dialect) => ({
      dialect,
      ...lossesOf(client, dialect, body, { reasoning, open, models: modelsOf(routes, dialect) }),
    }))
    .sort((a, b) => a.dropped.length - b.dropped.length);
  const isOpen = ({ refused, dropped }: Losses): boolean =>
    refused === null && (wanted === "declared" || dropped.length === 0);
  return {
    open: groups.filter(isOpen).map(({ dialect, dropped }) => ({
      routes: routes.filter((route) => route.dialect === dialect),
      fidelity: declaration(TRANSLATED, dropped),
    })),
    closed: groups
      .filter((group) => !isOpen(group))
      .map(({ refused, dropped }) => ({ refused, lost: dropped[0] ?? null })),
  };
}

/** What providers of one format call the model. */
const modelsOf = (routes: readonly Destination[], wanted: ProviderDialect): string[] =>
  routes.flatMap(({ dialect, upstreamModel }) => (dialect === wanted ? (upstreamModel ?? []) : []));

/** What no provider of the caller's own format can read, since it was sealed here for another's. */
function sealedLosses(request: Pick<GenerationRequest, "dialect" | "bytes">): Loss[] {
  return (withoutSealed(request)?.leftOut ?? []).map((loss) => ({ ...loss, note: null }));
}

function accepted(dropped: readonly Loss[], wanted: Fidelity): readonly Loss[] {
  const [loss] = dropped;
  if (wanted === "strict" && loss !== undefined) throw strictRefusal(loss);
  return dropped;
}

/** Said before any money is set aside for it. A loss that the caller could do with is named before one that nobody could. */
function refusalOf(closed: readonly Closed[]): Fault {
  const [nearest] = closed.toSorted((a, b) => Number(a.refused !== null) - Number(b.refused !== null));
  const { refused, lost } = nearest ?? {};
  if (lost && !refused) return strictRefusal(lost);
  invariant(refused, "a group is closed for no reason");
  return fieldFault(
    refused.at,
    refused.note ?? "This model's providers don't support this value. Remove it, or use another model.",
  );
}

/** A caller that asked for no loss hears of the first. */
export function strictRefusal({ at }: Pick<Loss, "at">): Fault {
  return fieldFault(
    at,
    "This model's provider doesn't support this field. Remove the field, or the header `x-tollgate-fidelity: strict`.",
  );
}

/** What the caller is told of its answer in a header. */
function declaration(passed: string, dropped: readonly Pick<Loss, "path">[]): string {
  if (dropped.length === 0) return passed;
  const names = dropped.slice(0, MOST_NAMED).map(({ path }) => path);
  const more = dropped.length - names.length;
  return `${passed}${DROPPED}${names.join(",")}${more > 0 ? `,+${more}` : ""}`;
}

const DROPPED = "; dropped=";

/** The same with what one provider of the group is not told besides. */
export function withDropped(fidelity: string, dropped: readonly Pick<Loss, "path">[]): string {
  if (dropped.length === 0 || !fidelity.includes(DROPPED)) return declaration(fidelity, dropped);
  return `${fidelity},${declaration("", dropped).slice(DROPPED.length)}`;
}

/** What a declaration says was lost; null: nothing. */
export function droppedIn(fidelity: string): string | null {
  const at = fidelity.indexOf(DROPPED);
  return at === -1 ? null : fidelity.slice(at + DROPPED.length);
}
