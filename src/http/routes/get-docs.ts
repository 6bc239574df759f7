import type { Router } from "../router.ts";
import type { ServePage } from "../serve/serve-page.ts";

/** GET /docs: the same description for people. */
export const getDocs = (router: Router, servePage: ServePage): void => servePage(router, "/docs", "page");
