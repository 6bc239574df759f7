import { createOpenApiDocument } from "../../openapi/openapi-document.ts";
import { renderDocsPage } from "../../openapi/page/docs-page.ts";
import { publishHtml } from "../../openapi/page/published.ts";
import type { Router } from "../router.ts";
import type { ServePage } from "../serve-page.ts";

/** GET /docs: the same description for people. */
export function getDocs(router: Router, servePage: ServePage): void {
  servePage(router, "/docs", (publicUrl, address) =>
    publishHtml(renderDocsPage(createOpenApiDocument(publicUrl), address)),
  );
}
