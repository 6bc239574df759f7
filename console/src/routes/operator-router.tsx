import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { OperatorShell } from "../shell/operator-shell.tsx";
import { DETAIL_PAGES, OPERATOR_PAGES } from "./operator-pages.ts";
import { placeRoutes, ROUTER_OPTIONS } from "./place-route.tsx";
import { readSearch, SHARED } from "./search.ts";
import { isSignedOut, sessionQuery } from "../shell/session.ts";

/** Every page below the shell needs somebody who is signed in; the span and the filters go along from page to page. */
export function createOperatorRouter(client: QueryClient) {
  const root = createRootRoute();
  const signIn = createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    validateSearch: ({ back }: Record<string, unknown>): { back?: string } =>
      typeof back === "string" ? { back } : {},
    component: lazyRouteComponent(() => import("../pages/sign-in/sign-in.tsx"), "SignIn"),
  });
  const shell = createRoute({
    getParentRoute: () => root,
    id: "shell",
    component: OperatorShell,
    validateSearch: readSearch,
    search: { middlewares: [retainSearchParams([...SHARED])] },
    beforeLoad: async ({ location }) => {
      await client.ensureQueryData(sessionQuery).catch((error: unknown) => {
        if (!isSignedOut(error)) throw error;
        throw redirect({ to: "/sign-in", search: { back: location.href } });
      });
    },
  });
  const pages = placeRoutes(shell, [...OPERATOR_PAGES, ...DETAIL_PAGES]);
  return createRouter({
    routeTree: root.addChildren([signIn, shell.addChildren(pages)]),
    ...ROUTER_OPTIONS,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createOperatorRouter>;
  }
}
