import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Range, readRange } from "./range.ts";
import { type PageSearch, readSearch } from "./search.ts";

/** The span and the filters of the address, and how to change them. */
export function usePageSearch(): { search: PageSearch; change: (change: PageSearch) => void; range: Range } {
  const search = readSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const nowMs = useNow(60_000);
  const change = (next: PageSearch): void =>
    void navigate({ to: ".", search: (before: PageSearch) => ({ ...before, ...next }) } as never);
  return { search, change, range: readRange(search, nowMs) };
}

/** What only this page has in its address. Changes of it are no steps for the Back button. */
export function useOwnSearch<Name extends string>(): {
  own: Partial<Record<Name, string>>;
  changeOwn: (change: Partial<Record<Name, string | undefined>>) => void;
} {
  const own = useSearch({ strict: false }) as Partial<Record<Name, string>>;
  const navigate = useNavigate();
  const changeOwn = (next: object): void =>
    void navigate({ to: ".", replace: true, search: (before: object) => ({ ...before, ...next }) } as never);
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
