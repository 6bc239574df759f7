import { createOpenApiDocument } from "../../openapi/openapi-document.ts";
import type { Router } from "../router.ts";
import type { ServePage } from "../serve-page.ts";

/** GET /openapi.json: the interface for machines. [spec 9] */
export function getOpenapi(router: Router, servePage: ServePage): void {
  servePage(router, "/openapi.json", (publicUrl) => ({
    text: JSON.stringify(createOpenApiDocument(publicUrl)),
    headers: { "content-type": "application/json" },
  }));
}
