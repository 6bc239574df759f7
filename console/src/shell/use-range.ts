import { type RegisteredRouter, type RouteIds, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Range, readRange } from "./range.ts";
import { type PageSearch, readSearch } from "../routes/search.ts";

/** The span and the filters of the address, and how to change them. */
export function usePageSearch(): { search: PageSearch; change: (change: PageSearch) => void; range: Range } {
  const search = readSearch(useSearch({ from: "/shell" }));
  const navigate = useNavigate();
  const nowMs = useNow(60_000);
  const change = (next: PageSearch): void => void navigate({ to: ".", search: (before) => ({ ...before, ...next }) });
  return { search, change, range: readRange(search, nowMs) };
}

/** What the address of one page has. Changes of it are no steps for the Back button. */
export function useOwnSearch<const From extends RouteIds<RegisteredRouter["routeTree"]>>(from: From) {
  const own = useSearch({ from });
  const navigate = useNavigate();
  const changeOwn = (next: Partial<typeof own>): void =>
    void navigate({ to: ".", replace: true, search: (before) => ({ ...before, ...next }) });
  return { own, changeOwn };
}

/** The time, as it passes. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
