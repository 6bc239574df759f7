import type { FastifyInstance } from "fastify";
import { renderAdminPage } from "../openapi/page/admin-page.ts";
import { hasPage, publishDocument, publishHtml, type PublishedPage } from "../openapi/page/published.ts";
import { describeAdmin } from "./admin-document.ts";

/**
 * GET /openapi.json and GET /docs. They say what every copy of this program can do and nothing of this one, and a browser that
 * opens a page has no token to send: so none is asked for.
 */
export function serveDescription(app: FastifyInstance): void {
  const document = describeAdmin();
  serve(app, "/openapi.json", publishDocument(document));
  serve(app, "/docs", publishHtml(renderAdminPage(document)));
}

function serve(app: FastifyInstance, url: string, page: PublishedPage): void {
  app.get(url, { config: { credential: "none" } }, (request, reply) => {
    const isKnown = hasPage(request.headers["if-none-match"], page);
    return reply
      .code(isKnown ? 304 : 200)
      .headers(page.headers)
      .send(isKnown ? undefined : page.body);
  });
}
