import type { FastifyInstance } from "fastify";
import { addRoute } from "./add-route.ts";
import { type AdminDoor, openAdminDoor } from "./admin-door.ts";
import type { ReadDescription } from "../core/description.ts";
import type { ServeFile } from "../core/served-file.ts";
import type { AdminParts } from "./admin-parts.ts";
import { ADMIN_ROUTES } from "./routes.ts";
import { serveConsole } from "./serve-console.ts";
import { serveDescription } from "./serve-description.ts";
import { type NotLetIn, tellRefused } from "./tell-refused.ts";

type Beside = {
  /** Is told of everybody who is not let in. */
  onRefused?: (refusal: NotLetIn) => void;
  /** Those of the operators' console. */
  consoleFiles: ServeFile;
  readDescription: ReadDescription;
};

/** The operators' listener: everything operational is here and nothing of it on the public one. [interface decision 35] */
export function createAdmin(given: AdminDoor & Omit<AdminParts, "closing"> & Beside): FastifyInstance {
  const { token, metricsToken, databaseTrouble, farewellMs, callerAddress, ...rest } = given;
  const { onRefused, consoleFiles, readDescription, ...parts } = rest;
  const { events, clock, identify, cookie } = parts;
  const door = { token, metricsToken, identify, cookie, events, databaseTrouble, farewellMs, clock, callerAddress };
  const app = openAdminDoor(door);
  if (onRefused) tellRefused(app, onRefused);
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());
  for (const route of ADMIN_ROUTES) addRoute(app, { route, parts: { ...parts, closing: closing.signal } });
  serveDescription(app, readDescription);
  serveConsole(app, consoleFiles);
  return app;
}
