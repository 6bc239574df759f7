import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { Failure } from "../parts/state.tsx";
import type { Place } from "./page.ts";
import { parseSearch, readTexts, stringifySearch } from "./search.ts";

/** Pages below the shell, each with its own path and search as types. */
export const placeRoutes = <Shell extends AnyRoute, Of extends Place>(shell: Shell, places: readonly Of[]) =>
  places.map((place) => placeRoute(shell, place)) as RouteOf<Shell, Of>[];

type RouteOf<Shell extends AnyRoute, Of extends Place> = Of extends Place
  ? ReturnType<typeof placeRoute<Shell, Of["path"], NameOf<Of>>>
  : never;
type NameOf<Of extends Place> = Of extends { search: readonly (infer Name extends string)[] } ? Name : never;

/** Its module is fetched when it is opened; its one export is the page. */
const placeRoute = <Shell extends AnyRoute, Path extends string, Name extends string>(
  shell: Shell,
  { path, search = [], load }: Place<Path, Name>,
) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    validateSearch: (given: Record<string, unknown>) => readTexts(given, search),
    component: lazyRouteComponent(async () => ({ Page: onlyOf(await load()) }), "Page"),
  });

function onlyOf(module: Record<string, ComponentType>): ComponentType {
  const [Page] = Object.values(module);
  if (Page === undefined) throw new Error("The module of a page exports no component.");
  return Page;
}

/** What the consoles of both listeners have in common. */
export const ROUTER_OPTIONS = {
  basepath: "/console",
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }: { error: unknown; reset: () => void }) => (
    <Failure error={error as Error} retry={reset} height={400} />
  ),
  defaultNotFoundComponent: () => (
    <Failure error={new Error("The console has no page at this address. Press Ctrl K to find one.")} height={400} />
  ),
} as const;
