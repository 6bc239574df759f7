import { createOpenApiDocument } from "../../openapi/openapi-document.ts";
import { renderDocsPage } from "../../openapi/page/docs-page.ts";
import type { Router } from "../router.ts";
import type { ServePage } from "../serve-page.ts";

/** The page brings its own style and nothing else: no script runs on it, nothing is loaded and nobody may frame it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** GET /docs: the same description for people. */
export function getDocs(router: Router, servePage: ServePage): void {
  servePage(router, "/docs", (publicUrl) => ({
    text: renderDocsPage(createOpenApiDocument(publicUrl)),
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "referrer-policy": "no-referrer",
    },
  }));
}
