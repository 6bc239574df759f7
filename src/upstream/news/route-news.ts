/**
 * What one process tells the others of a route. `paused`: it failed every one of its last calls, of one or two payers or of `many`, and is
 * left alone for so long. `trying`: one request of that process finds out now whether it is back. `answered`: it is. `limited`: it asked,
 * with 429, to be left alone.
 */
export type RouteNews = { routeId: string } & (
  | { says: "paused"; reason: string; restsMs: number; payers: "few" | "many" }
  | { says: "trying" }
  | { says: "answered" }
  | { says: "limited"; restsMs: number }
);

/** News as it was heard. `from` is what the process that sent it calls itself, and proves nothing. */
export type HeardNews = RouteNews & { from: string };

/** The channel on which processes tell each other. */
export const ROUTES_CHANNEL = "tollgate_routes";
