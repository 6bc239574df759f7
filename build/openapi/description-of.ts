import { describeAdmin } from "./admin/describe-admin.ts";
import type { DescriptionOrder } from "../../src/core/description.ts";
import { createOpenApiDocument } from "./openapi-document.ts";
import { renderAdminPage } from "./page/admin-page.ts";
import { renderDocsPage } from "./page/docs-page.ts";

/**
 * What `GET /openapi.json` and `GET /docs` of either listener answer. [spec 9] Where the operator has not said how clients reach it, the
 * URLs of the document are relative to where it was found, which is right behind any proxy.
 */
export function descriptionOf(order: DescriptionOrder): string {
  if (order.listener === "admin")
    return order.as === "document" ? JSON.stringify(describeAdmin()) : renderAdminPage(describeAdmin());
  const { as, publicUrl, address } = order;
  if (as === "page") return renderDocsPage(createOpenApiDocument(publicUrl), address);
  return JSON.stringify(createOpenApiDocument(address === "set" ? publicUrl : ""));
}
