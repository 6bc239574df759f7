import { URL_PLACE } from "../../src/description/put-url.ts";
import { describeAdmin } from "./admin/describe-admin.ts";
import { createOpenApiDocument } from "./openapi-document.ts";
import { renderAdminPage } from "./page/admin-page.ts";
import { renderDocsPage } from "./page/docs-page.ts";
import { pagePolicy } from "./page/policy.ts";

/** The files that `src/app/read-description.ts` reads, by name. */
export function makeDescriptions(): Record<string, string> {
  const [open, admin] = [createOpenApiDocument(URL_PLACE), describeAdmin()];
  return {
    "public.json": JSON.stringify(open),
    "public.html": renderDocsPage(open, "guessed"),
    "admin.json": JSON.stringify(admin),
    "admin.html": renderAdminPage(admin),
    "policy.txt": pagePolicy(),
  };
}
