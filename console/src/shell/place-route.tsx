import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Failure } from "../parts/state.tsx";
import type { Place } from "./pages.ts";
import { parseSearch, readTexts, stringifySearch } from "./search.ts";

/** A page below the shell. Its module is fetched when it is opened; its one export is the page. */
export const placeRoute = (shell: AnyRoute, { path, search = [], load }: Place) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    validateSearch: (given) => readTexts(given, search),
    component: lazyRouteComponent(async () => ({ Page: Object.values(await load())[0] as never }), "Page"),
  });

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
