import type { FastifyInstance } from "fastify";
import { addRoute } from "./add-route.ts";
import { type AdminDoor, openAdminDoor } from "./admin-door.ts";
import type { AdminParts } from "./admin-parts.ts";
import { ADMIN_ROUTES } from "./routes.ts";
import { serveDescription } from "./serve-description.ts";

/** The operators' listener: everything operational is here and nothing of it on the public one. [interface decision 35] */
export function createAdmin(given: AdminDoor & AdminParts): FastifyInstance {
  const { token, metricsToken, databaseTrouble, farewellMs, ...parts } = given;
  const { events, clock } = parts;
  const app = openAdminDoor({ token, metricsToken, events, databaseTrouble, farewellMs, clock });
  for (const route of ADMIN_ROUTES) addRoute(app, { route, parts });
  serveDescription(app);
  return app;
}
