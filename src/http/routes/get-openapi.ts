import { createOpenApiDocument } from "../../openapi/openapi-document.ts";
import { publishDocument } from "../../openapi/page/published.ts";
import type { Router } from "../router.ts";
import type { ServePage } from "../serve-page.ts";

/** GET /openapi.json: the interface for machines. [spec 9] */
export function getOpenapi(router: Router, servePage: ServePage): void {
  servePage(router, "/openapi.json", (publicUrl) => publishDocument(createOpenApiDocument(publicUrl)));
}
