import type { FastifyInstance } from "fastify";
import { isLoopback } from "../core/network-list.ts";
import { type Schema, validate } from "../wire/validate.ts";
import type { AdminParts } from "./admin-parts.ts";
import { type Access, accessOf } from "./access-table.ts";
import type { AdminCaller } from "./caller.ts";
import { confine } from "./confine.ts";
import type { AdminRoute, Asked } from "./route.ts";

declare module "fastify" {
  // eslint-disable-next-line typescript/consistent-type-definitions -- only an interface can be added to
  interface FastifyContextConfig {
    credential?: AdminRoute["credential"];
    /** Null: for the automation token alone. Absent: it leads to no operation. */
    access?: Access | null;
  }
}

/** Probes ask without a credential, and change nothing. */
const NOBODY: AdminCaller = { by: { actor: "nobody" }, person: null };

/** A HEAD would read such an answer to its end, though nobody takes it and its client may have left. */
const STREAMED: ReadonlySet<AdminRoute["media"]> = new Set(["text/csv", "application/x-ndjson", "text/event-stream"]);

/** Has the listener serve a route: what comes in is read by its schemas, and its handler's answer is sent. */
export function addRoute(app: FastifyInstance, { route, parts }: { route: AdminRoute; parts: AdminParts }): void {
  const access = accessOf(route.id);
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    bodyLimit: route.maxBodyBytes,
    exposeHeadRoute: !STREAMED.has(route.media),
    config: { credential: route.credential, access },
    handler: async (request, reply) => {
      const { by, person } = request.caller ?? NOBODY;
      const asked = {
        params: read(route.params, request.params),
        query: read(route.query, request.query),
        body: read(route.body, request.body ?? (route.bodyNeeded ? undefined : {})),
        by: { ...by, requestId: request.id },
        person,
        came: {
          address: request.address,
          agent: request.headers["user-agent"] ?? "",
          headers: request.headers,
          method: request.method,
          url: request.url,
          isLocal: isLoopback(request.socket.localAddress ?? request.socket.remoteAddress ?? ""),
        },
      };
      const { within } = by;
      const confined =
        within === undefined || access === null
          ? asked
          : await confine(asked, access, { within, place: parts.identify.place });
      const {
        status,
        body,
        type = route.media,
        cookie,
        location,
      } = await route.handle(parts, confined as Asked<never, never, never>);
      if (cookie !== undefined) reply.header("set-cookie", cookie);
      if (location !== undefined) reply.header("location", location);
      return reply.code(status).type(type).send(body);
    },
  });
}

const read = (schema: Schema | null, value: unknown): unknown =>
  schema === null ? undefined : validate(schema, value);
