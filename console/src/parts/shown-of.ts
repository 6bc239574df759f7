import type { ReactNode } from "react";
import { READY, type Shown } from "./state.tsx";

type Asked = { isPending: boolean; error: Error | null; refetch: () => unknown };

/** The state of what was asked for. `empty`: what to say if nothing came; null: something did. */
export function shownOf(
  { isPending, error, refetch }: Asked,
  empty: { title: string; hint?: ReactNode; command?: string } | null,
): Shown {
  if (error !== null) return { kind: "error", error, retry: () => void refetch() };
  if (isPending) return { kind: "loading" };
  return empty === null ? READY : { kind: "empty", ...empty };
}
