import { createRootRoute, createRoute, createRouter, retainSearchParams } from "@tanstack/react-router";
import { HOLDER_DETAIL_PAGES, HOLDER_PAGES, HOLDER_PERSON_PAGES } from "./holder-pages.ts";
import { HolderShell } from "../shell/holder-shell.tsx";
import { placeRoutes, ROUTER_OPTIONS } from "./place-route.tsx";
import { readSearch } from "./search.ts";

const SHARED = ["range", "from", "to"] as const;

/** The pages of a key holder. The span goes along from page to page. */
export function createHolderRouter() {
  const root = createRootRoute();
  const shell = createRoute({
    getParentRoute: () => root,
    id: "shell",
    component: HolderShell,
    validateSearch: readSearch,
    search: { middlewares: [retainSearchParams([...SHARED])] },
  });
  const pages = placeRoutes(shell, [...HOLDER_PAGES, ...HOLDER_PERSON_PAGES, ...HOLDER_DETAIL_PAGES]);
  return createRouter({ routeTree: root.addChildren([shell.addChildren(pages)]), ...ROUTER_OPTIONS });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createHolderRouter>;
  }
}
