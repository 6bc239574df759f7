import { createAdminDocument } from "../openapi/admin/admin-document.ts";
import type { AdminDocument } from "../openapi/document.ts";
import { accessOf } from "./access-table.ts";
import { TAGS } from "./route.ts";
import { ADMIN_ROUTES } from "./routes.ts";

/** The admin API as its routes declare it. */
export const describeAdmin = (): AdminDocument =>
  createAdminDocument({
    operations: ADMIN_ROUTES.map((route) => {
      const access = accessOf(route.id);
      return { ...route, roles: access?.roles ?? null, leads: access !== null && access.subtree !== null };
    }),
    tags: TAGS,
  });
