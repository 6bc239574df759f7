import type { FastifyInstance } from "fastify";

/** Somebody who was not let in. `operation` names parameters, never what stood in their place. */
export type NotLetIn = { by: null; address: string; requestId: string; code: string; operation: string };

/** No credential or the wrong one, a role that does not allow it, or too many attempts. */
const CODES: Readonly<Record<number, string>> = {
  401: "invalid_credentials",
  403: "forbidden",
  429: "rate_limit_exceeded",
};

/** Tells of everybody who is not let in, once they have their response. */
export function tellRefused(app: FastifyInstance, onRefused: (refusal: NotLetIn) => void): void {
  app.addHook("onResponse", async (request, reply) => {
    const code = CODES[reply.statusCode];
    if (code === undefined) return;
    const operation = `${request.method} ${request.routeOptions.url ?? "(no such path)"}`;
    onRefused({ by: null, address: request.ip, requestId: request.id, code, operation });
  });
}
