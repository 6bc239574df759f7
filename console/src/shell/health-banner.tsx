import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AnswerOf } from "../api/call.ts";
import { keyOf } from "../api/query.ts";
import { Badge } from "../parts/badge.tsx";

type Health = AnswerOf<"GET /healthz"> | { status: "unavailable"; reasons: string[] };

const REFRESH_MS = 5_000;

/** Read as it is: during an outage the answer is 503 and says why. Nothing is said of a gateway that is not reached at all. */
const healthQuery = queryOptions({
  queryKey: keyOf("GET /healthz"),
  queryFn: async ({ signal }): Promise<Health | null> => {
    const response = await fetch("/healthz", { signal, redirect: "error" });
    return response.ok || response.status === 503 ? ((await response.json()) as Health) : null;
  },
  refetchInterval: REFRESH_MS,
  staleTime: REFRESH_MS,
  retry: false,
});

/** Above every page while requests fail, or something is missing. The page about the system says it itself. */
export function HealthBanner(): ReactNode {
  const { pathname } = useLocation();
  const { data: health } = useQuery(healthQuery);
  if (!health || health.status === "ok" || pathname === "/system") return null;
  const isDown = health.status === "unavailable";
  return (
    <div
      role="alert"
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-2 sm:px-5 ${isDown ? "border-bad/40 bg-bad-soft" : "border-warn/40 bg-warn-soft"}`}
    >
      <Badge tone={isDown ? "bad" : "warn"}>{isDown ? "does not serve requests" : "not all is well"}</Badge>
      <span className="min-w-0 flex-1 basis-80">{health.reasons.join(" · ")}</span>
      <Link to="/system" className="underline">
        System
      </Link>
    </div>
  );
}
