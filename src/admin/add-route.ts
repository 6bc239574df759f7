import type { FastifyInstance } from "fastify";
import { type Schema, validate } from "../wire/validate.ts";
import type { AdminParts } from "./admin-parts.ts";
import type { AdminRoute } from "./route.ts";

declare module "fastify" {
  // eslint-disable-next-line typescript/consistent-type-definitions -- only an interface can be added to
  interface FastifyContextConfig {
    credential?: AdminRoute["credential"];
  }
}

/** Whoever asks the admin API has its token, and nothing else is known of them yet. */
const ACTOR = "admin";

/** Has the listener serve a route: what comes in is read by its schemas, and its handler's answer is sent. */
export function addRoute(app: FastifyInstance, { route, parts }: { route: AdminRoute; parts: AdminParts }): void {
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    bodyLimit: route.maxBodyBytes,
    config: { credential: route.credential },
    handler: async (request, reply) => {
      const asked = {
        params: read(route.params, request.params),
        query: read(route.query, request.query),
        body: read(route.body, request.body ?? (route.bodyNeeded ? undefined : {})),
        by: { actor: ACTOR, requestId: request.id, via: "automation", address: request.ip },
      };
      const { status, body, type = route.media } = await route.handle(parts, asked as never);
      return reply.code(status).type(type).send(body);
    },
  });
}

const read = (schema: Schema | null, value: unknown): unknown =>
  schema === null ? undefined : validate(schema, value);
