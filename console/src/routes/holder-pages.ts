import type { OwnPage, Page, Place } from "./page.ts";

/** The pages of key holders, in the order of the navigation. */
export const HOLDER_PAGES = [
  {
    path: "/",
    title: "My key",
    icon: "keys",
    group: "Your key",
    ranged: false,
    words: "balance available reserved credit budget runway renewal limits home",
    load: () => import("../pages/my-key/my-key.tsx"),
  },
  {
    path: "/usage",
    title: "Usage",
    icon: "overview",
    group: "Your key",
    ranged: true,
    words: "spend cost tokens models chart",
    load: () => import("../pages/my-usage/my-usage.tsx"),
  },
  {
    path: "/requests",
    title: "Requests",
    icon: "requests",
    group: "Your key",
    ranged: true,
    words: "log history calls charges",
    load: () => import("../pages/my-requests/my-requests.tsx"),
  },
  {
    path: "/errors",
    title: "Errors",
    icon: "warn",
    group: "Your key",
    ranged: false,
    words: "failures rejected fix 402 429 help",
    search: ["days"],
    load: () => import("../pages/my-errors/my-errors.tsx"),
  },
  {
    path: "/models",
    title: "Models",
    icon: "models",
    group: "Use it",
    ranged: false,
    words: "prices speed cost calculator catalogue",
    search: ["find", "input", "cached", "output"],
    load: () => import("../pages/my-models/my-models.tsx"),
  },
  {
    path: "/playground",
    title: "Playground",
    icon: "play",
    group: "Use it",
    ranged: false,
    words: "chat try prompt stream generate test",
    search: ["use", "format"],
    load: () => import("../pages/playground/playground.tsx"),
  },
  {
    path: "/connect",
    title: "Connect",
    icon: "connect",
    group: "Use it",
    ranged: false,
    words: "client sdk claude code codex cursor curl python setup base url snippet",
    search: ["client", "use"],
    load: () => import("../pages/connect/connect.tsx"),
  },
] as const satisfies readonly Page[];

/** What only people who signed in have: a key has no sessions of clients. */
export const HOLDER_PERSON_PAGES = [
  {
    path: "/sessions",
    title: "Sessions",
    icon: "screen",
    group: "Your key",
    ranged: false,
    words: "signed in clients devices claude code codex browsers sign out revoke",
    load: () => import("../pages/my-sessions/my-sessions.tsx"),
  },
] as const satisfies readonly Page[];

/** The navigation of somebody who signed in without a key. */
export const personPages = (): readonly OwnPage[] => {
  const [home, ...others] = HOLDER_PAGES.map((page) =>
    page.path === "/" ? { ...page, title: "My account", icon: "people" as const } : page,
  );
  const all = home === undefined ? [] : [home, ...HOLDER_PERSON_PAGES, ...others];
  return all.map((page) => (page.group === "Your key" ? { ...page, group: "You" } : page));
};

/** Pages of one thing each, below the page that lists them. */
export const HOLDER_DETAIL_PAGES = [
  { path: "/requests/$request", load: () => import("../pages/my-requests/my-request.tsx") },
] as const satisfies readonly Place[];
