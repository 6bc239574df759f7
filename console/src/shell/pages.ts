import type { ComponentType } from "react";
import type { IconName } from "../parts/icon.tsx";

/** Something that has an address of its own. */
export type Place = {
  path: string;
  /** What its address has beside the span and the filters of all pages. */
  search?: readonly string[];
  load: () => Promise<Record<string, ComponentType>>;
};

export type Page = Place & {
  title: string;
  icon: IconName;
  /** What it is listed under; pages of one group stand together. Null: it is reached from the menu of the reader. */
  group: string | null;
  /** Whether it shows a span of time: then the bar has the choice of one. */
  ranged: boolean;
  /** What else people call it, for the palette. */
  words: string;
  /** Needed once: not in the navigation, but in the palette. */
  once?: true;
};

/** The pages of operators, in the order of the navigation. A page is fetched when it is opened; its module exports one component. */
export const OPERATOR_PAGES: readonly Page[] = [
  {
    path: "/",
    title: "Overview",
    icon: "overview",
    group: "Watch",
    ranged: true,
    words: "spend usage dashboard home latency errors",
    load: () => import("../pages/overview/overview.tsx"),
  },
  {
    path: "/live",
    title: "Live",
    icon: "live",
    group: "Watch",
    ranged: false,
    words: "in flight running streams cancel stop now",
    load: () => import("../pages/live/live.tsx"),
  },
  {
    path: "/requests",
    title: "Requests",
    icon: "requests",
    group: "Watch",
    ranged: true,
    words: "log history errors calls traffic",
    load: () => import("../pages/requests/requests.tsx"),
  },
  {
    path: "/keys",
    title: "Keys",
    icon: "keys",
    group: "Money",
    ranged: false,
    words: "credit budget secret balance rotate revoke",
    search: ["find", "state"],
    load: () => import("../pages/keys/keys.tsx"),
  },
  {
    path: "/accounts",
    title: "Accounts",
    icon: "accounts",
    group: "Money",
    ranged: false,
    words: "teams customers organisation limits budgets statement tree",
    search: ["near"],
    load: () => import("../pages/accounts/accounts.tsx"),
  },
  {
    path: "/ledger",
    title: "Ledger",
    icon: "ledger",
    group: "Money",
    ranged: false,
    words: "journal balance charges top-up adjust verify books",
    search: ["entry"],
    load: () => import("../pages/ledger/ledger.tsx"),
  },
  {
    path: "/models",
    title: "Models and prices",
    icon: "models",
    group: "Set up",
    ranged: false,
    words: "catalogue price publish import routes cost",
    search: ["find", "state"],
    load: () => import("../pages/models/models.tsx"),
  },
  {
    path: "/providers",
    title: "Providers and routes",
    icon: "providers",
    group: "Set up",
    ranged: true,
    words: "upstream health breaker circuit test credential key route order",
    load: () => import("../pages/providers/providers.tsx"),
  },
  {
    path: "/notices",
    title: "Notices",
    icon: "notices",
    group: "Money",
    ranged: false,
    words: "alerts webhooks thresholds warnings dead letters retry test",
    search: ["state", "cause", "notice", "of"],
    load: () => import("../pages/notices/notices.tsx"),
  },
  {
    path: "/people",
    title: "People",
    icon: "people",
    group: "Set up",
    ranged: false,
    words: "roles access grants permissions users sessions password owner",
    search: ["find", "role", "area"],
    load: () => import("../pages/people/people.tsx"),
  },
  {
    path: "/sessions",
    title: "Client sessions",
    icon: "screen",
    group: "Set up",
    ranged: false,
    words: "signed in clients claude code codex login sign out revoke end",
    search: ["find"],
    load: () => import("../pages/people/client-sessions.tsx"),
  },
  {
    path: "/audit",
    title: "Audit",
    icon: "audit",
    group: "Set up",
    ranged: true,
    words: "log changes who history rejected",
    load: () => import("../pages/audit/audit.tsx"),
  },
  {
    path: "/first-run",
    title: "First run",
    icon: "check",
    group: "Set up",
    ranged: false,
    words: "setup wizard begin start onboarding getting started",
    once: true,
    load: () => import("../pages/first-run/first-run.tsx"),
  },
  {
    path: "/settings",
    title: "Settings",
    icon: "settings",
    group: "Set up",
    ranged: false,
    words: "configuration environment variables yaml defaults source options",
    search: ["find", "from", "setting"],
    load: () => import("../pages/settings/settings.tsx"),
  },
  {
    path: "/system",
    title: "System",
    icon: "system",
    group: "Set up",
    ranged: false,
    words: "status health version migrations processes leases doctor database event loop verify",
    load: () => import("../pages/system/system.tsx"),
  },
  {
    path: "/profile",
    title: "Your profile",
    icon: "people",
    group: null,
    ranged: false,
    words: "me own password tokens sessions sign out",
    load: () => import("../pages/profile/profile.tsx"),
  },
];

/** Pages of one thing each, below the page that lists them. */
export const DETAIL_PAGES: readonly Place[] = [
  { path: "/requests/$request", load: () => import("../pages/requests/inspector.tsx") },
  { path: "/audit/$entry", load: () => import("../pages/audit/audit-entry.tsx") },
  { path: "/keys/new", search: ["in"], load: () => import("../pages/keys/new-key.tsx") },
  { path: "/accounts/$account", load: () => import("../pages/accounts/account-page.tsx") },
  { path: "/models/import", load: () => import("../pages/models/import-page.tsx") },
  { path: "/models/$model", load: () => import("../pages/models/model-page.tsx") },
  { path: "/providers/$provider", load: () => import("../pages/providers/provider-page.tsx") },
  { path: "/people/$person", load: () => import("../pages/people/person-page.tsx") },
  { path: "/keys/$key", load: () => import("../pages/keys/key-page.tsx") },
];
