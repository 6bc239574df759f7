import type { ClientDialect, ProviderDialect } from "../../core/dialect.ts";
import { Fault } from "../../core/fault.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { canTranslate } from "../pick-translator.ts";
import { withoutSealed } from "../sealed-thoughts.ts";
import { type Loss, lossesOf, type Losses } from "./losses.ts";

/** How much a caller will put up with: anything that is declared, or nothing. */
export type Fidelity = "declared" | "strict";

/** The routes a request may take, and what it loses on them. */
export type Passage<Route> = { routes: readonly Route[]; fidelity: string };

const EXACT = "exact";
const TRANSLATED = "translated";
/** Enough to say what is lost, and little enough for a header. */
const MOST_NAMED = 24;

/**
 * Where any route speaks the caller's own format only those are taken, for nothing of the caller's is lost on them. Else those on which the least
 * is lost; and a request that would become another one is refused, as is any loss for a caller that asked for none.
 */
export function choosePassage<Route extends { dialect: ProviderDialect }>(
  request: Pick<GenerationRequest, "dialect" | "model" | "bytes">,
  routes: readonly Route[],
  wanted: Fidelity,
): Passage<Route> {
  const own = routes.filter(({ dialect }) => dialect === request.dialect);
  if (own.length > 0) return { routes: own, fidelity: declaration(EXACT, accepted(sealedLosses(request), wanted)) };
  const dialects = [...new Set(routes.map(({ dialect }) => dialect))].filter((dialect) =>
    canTranslate(request.dialect, dialect),
  ) as ClientDialect[];
  if (routes.length === 0) return { routes, fidelity: EXACT };
  if (dialects.length === 0) throw unreachable(request.model);

  const body = JSON.parse(request.bytes.toString("utf8")) as Record<string, unknown>;
  const ways = dialects.map((dialect) => ({ dialect, ...lossesOf(request.dialect, dialect, body) }));
  const open = ways.filter(({ refused }) => refused === null).sort((a, b) => a.dropped.length - b.dropped.length);
  const best = open[0];
  if (best === undefined) throw refusalOf(ways);
  return {
    routes: routes.filter(({ dialect }) => dialect === best.dialect),
    fidelity: declaration(TRANSLATED, accepted(best.dropped, wanted)),
  };
}

/** What no provider of the caller's own format can read, since it was sealed here for another's. */
function sealedLosses(request: Pick<GenerationRequest, "dialect" | "bytes">): Loss[] {
  return (withoutSealed(request)?.leftOut ?? []).map((loss) => ({ ...loss, note: null }));
}

function accepted(dropped: readonly Loss[], wanted: Fidelity): readonly Loss[] {
  const [loss] = dropped;
  if (wanted === "strict" && loss !== undefined) throw strictRefusal(loss);
  return dropped;
}

/** Said before any money is set aside for it. */
const unreachable = (model: string): Fault =>
  new Fault("invalid_request", `${model}: None of this model's providers can be spoken to in this format.`, {
    param: "model",
  });

function refusalOf(ways: readonly Losses[]): Fault {
  const loss = ways[0]?.refused ?? { path: "", at: "", note: null };
  return new Fault("invalid_request", `${loss.at}: ${loss.note ?? "This cannot be said to this model's providers."}`, {
    param: loss.at,
  });
}

function strictRefusal({ at }: Loss): Fault {
  return new Fault(
    "invalid_request",
    `${at}: This field would be lost on the way to this model's provider, for whose format it is not. Leave it out, or do not ask for strict fidelity.`,
    { param: at },
  );
}

/** What the caller is told of its answer in a header. */
function declaration(passed: string, dropped: readonly Loss[]): string {
  if (dropped.length === 0) return passed;
  const names = dropped.slice(0, MOST_NAMED).map(({ path }) => path);
  const more = dropped.length - names.length;
  return `${passed}; dropped=${names.join(",")}${more > 0 ? `,+${more}` : ""}`;
}
