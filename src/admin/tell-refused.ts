import type { FastifyInstance } from "fastify";
import type { By } from "../core/people/by.ts";
import { SIGN_IN_CALLBACK } from "./routes/sign-in.ts";

/** Somebody who was not let in; `by` is who it is, where that is known. `operation` names parameters, never what stood in their place. */
export type NotLetIn = { by: By | null; address: string; requestId: string; code: string; operation: string };

/** No credential or the wrong one, a role that does not allow it, or too many attempts. */
const CODES: Readonly<Record<number, string>> = {
  401: "invalid_credentials",
  403: "forbidden",
  429: "rate_limit_exceeded",
};

/** Tells of everybody who is not let in, once they have their response. */
export function tellRefused(app: FastifyInstance, onRefused: (refusal: NotLetIn) => void): void {
  app.addHook("onResponse", async (request, reply) => {
    // The sign-in tells of it itself, and why.
    if (request.routeOptions.url === SIGN_IN_CALLBACK) return;
    // What lies outside a part of the accounts answers as if it were not there.
    const isOutside = reply.statusCode === 404 && request.caller?.by.within !== undefined;
    const code = isOutside ? "not_found" : CODES[reply.statusCode];
    if (code === undefined) return;
    const operation = `${request.method} ${request.routeOptions.url ?? "(no such path)"}`;
    const by = request.caller?.by ?? null;
    onRefused({ by, address: request.address, requestId: request.id, code, operation });
  });
}
