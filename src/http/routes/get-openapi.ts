import type { Router } from "../router.ts";
import type { ServePage } from "../serve/serve-page.ts";

/** GET /openapi.json: the interface for machines. [spec 9] */
export const getOpenapi = (router: Router, servePage: ServePage): void =>
  servePage(router, "/openapi.json", "document");
