import type { FastifyInstance } from "fastify";
import { addRoute } from "./add-route.ts";
import { type AdminDoor, openAdminDoor } from "./admin-door.ts";
import type { ServeFile } from "../core/served-file.ts";
import type { AdminParts } from "./admin-parts.ts";
import { ADMIN_ROUTES } from "./routes.ts";
import { serveConsole } from "./serve-console.ts";
import { serveDescription } from "./serve-description.ts";
import { type NotLetIn, tellRefused } from "./tell-refused.ts";

/** `onRefused` is told of everybody who is not let in. `consoleFiles`: those of the operators' console. */
type Beside = { onRefused?: (refusal: NotLetIn) => void; consoleFiles: ServeFile };

/** The operators' listener: everything operational is here and nothing of it on the public one. [interface decision 35] */
export function createAdmin(given: AdminDoor & Omit<AdminParts, "closing"> & Beside): FastifyInstance {
  const { token, metricsToken, databaseTrouble, farewellMs, callerAddress, onRefused, consoleFiles, ...parts } = given;
  const { events, clock, identify, cookie } = parts;
  const door = { token, metricsToken, identify, cookie, events, databaseTrouble, farewellMs, clock, callerAddress };
  const app = openAdminDoor(door);
  if (onRefused) tellRefused(app, onRefused);
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());
  for (const route of ADMIN_ROUTES) addRoute(app, { route, parts: { ...parts, closing: closing.signal } });
  serveDescription(app);
  serveConsole(app, consoleFiles);
  return app;
}
