import type { FastifyInstance } from "fastify";
import { addRoute } from "./add-route.ts";
import { type AdminDoor, openAdminDoor } from "./admin-door.ts";
import type { AdminParts } from "./admin-parts.ts";
import { ADMIN_ROUTES } from "./routes.ts";
import { serveDescription } from "./serve-description.ts";
import { type NotLetIn, tellRefused } from "./tell-refused.ts";

/** `onRefused` is told of everybody who is not let in. */
type Told = { onRefused?: (refusal: NotLetIn) => void };

/** The operators' listener: everything operational is here and nothing of it on the public one. [interface decision 35] */
export function createAdmin(given: AdminDoor & Omit<AdminParts, "closing"> & Told): FastifyInstance {
  const { token, metricsToken, databaseTrouble, farewellMs, onRefused, ...parts } = given;
  const { events, clock, identify, cookie } = parts;
  const app = openAdminDoor({ token, metricsToken, identify, cookie, events, databaseTrouble, farewellMs, clock });
  if (onRefused) tellRefused(app, onRefused);
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());
  for (const route of ADMIN_ROUTES) addRoute(app, { route, parts: { ...parts, closing: closing.signal } });
  serveDescription(app);
  return app;
}
