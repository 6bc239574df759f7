import { createOpenApiDocument } from "../../openapi/openapi-document.ts";
import { publishDocument } from "../../openapi/page/published.ts";
import type { Router } from "../router.ts";
import type { ServePage } from "../serve-page.ts";

/**
 * GET /openapi.json: the interface for machines. [spec 9] Where the operator has not said how clients reach it, its URLs are
 * relative to where it was found, which is right behind any proxy.
 */
export function getOpenapi(router: Router, servePage: ServePage): void {
  servePage(router, "/openapi.json", (publicUrl, address) =>
    publishDocument(createOpenApiDocument(address === "set" ? publicUrl : "")),
  );
}
