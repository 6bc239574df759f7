import type { FastifyInstance } from "fastify";
import type { ReadDescription } from "../core/description.ts";
import { keepPages } from "../description/keep-pages.ts";
import { hasPage } from "../description/published.ts";

const PATHS = { document: "/openapi.json", page: "/docs" } as const;

/**
 * GET /openapi.json and GET /docs. They say what every copy of this program can do and nothing of this one, and a browser that
 * opens a page has no token to send: so none is asked for.
 */
export function serveDescription(app: FastifyInstance, read: ReadDescription): void {
  const pageOf = keepPages(read);
  for (const as of ["document", "page"] as const) {
    app.get(PATHS[as], { config: { credential: "none" } }, async (request, reply) => {
      const page = await pageOf({ listener: "admin", as });
      const isKnown = hasPage(request.headers["if-none-match"], page);
      return reply
        .code(isKnown ? 304 : 200)
        .headers(page.headers)
        .send(isKnown ? undefined : page.body);
    });
  }
}
