import { Outlet, useLocation } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { IconButton } from "../parts/button.tsx";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { Navigation } from "./navigation.tsx";
import type { CommandParts } from "./commands.ts";
import type { OwnPage } from "../routes/page.ts";
import { PaletteButton } from "./palette-button.tsx";
import { RangePicker } from "./range-picker.tsx";
import { UserMenu } from "./user-menu.tsx";

const NavigationDrawer = lazy(async () => ({ default: (await import("./navigation-drawer.tsx")).NavigationDrawer }));

type Props = {
  pages: readonly OwnPage[];
  /** Where its API is described, for the palette. */
  reference: string;
  /** Opens what the palette found by asking the gateway; null: it asks for nothing. */
  openFound: CommandParts["openFound"];
  /** What is said above every page, if anything. */
  banner?: ReactNode;
  /** Who is signed in. */
  actor: string;
  /** Opens the page about them, where there is one. */
  onProfile?: () => void;
  onSignOut: () => void;
  /** What stands below every page. */
  footer?: ReactNode;
};

/** What stands around every page: navigation, palette, span of time, and who is signed in. */
export function ConsoleShell({ pages, reference, openFound, banner, footer, ...user }: Props): ReactNode {
  const { pathname } = useLocation();
  const [drawer, setDrawer] = useState<boolean | null>(null);
  const page = pages.findLast(({ path }) => pathname === path || (path !== "/" && pathname.startsWith(`${path}/`)));
  const isRanged = page?.ranged === true && pathname === page.path;
  useEffect(() => {
    document.title = page ? `${page.title} · Tollgate` : "Tollgate";
  }, [page]);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[var(--rail)_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2 focus:shadow-float"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh border-r border-line lg:block">
        <Navigation pages={pages} />
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="sticky top-0 z-20 flex h-12 items-center gap-1 border-b border-line bg-paper/95 px-2 sm:px-5">
          <IconButton label="Open the navigation" icon="menu" className="lg:hidden" onClick={() => setDrawer(true)} />
          <h1 className="mr-auto truncate text-title font-semibold">{page?.title ?? "Tollgate"}</h1>
          {isRanged && <RangePicker />}
          <PaletteButton pages={pages} reference={reference} openFound={openFound} />
          <UserMenu {...user} />
        </header>
        {banner}
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-[1600px] flex-1 px-3 py-4 outline-none sm:px-5"
        >
          {isRanged && <FilterChips />}
          <ErrorBoundary key={pathname}>
            <Outlet />
          </ErrorBoundary>
        </main>
        {footer}
      </div>
      {drawer !== null && (
        <Suspense>
          <NavigationDrawer pages={pages} open={drawer} onOpenChange={setDrawer} />
        </Suspense>
      )}
    </div>
  );
}
