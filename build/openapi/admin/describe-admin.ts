import { createAdminDocument } from "./admin-document.ts";
import type { AdminDocument } from "../document.ts";
import { accessOf } from "../../../src/admin/access-table.ts";
import { TAGS } from "../../../src/admin/route.ts";
import { ADMIN_ROUTES } from "../../../src/admin/routes.ts";

/** The admin API as its routes declare it. */
export const describeAdmin = (): AdminDocument =>
  createAdminDocument({
    operations: ADMIN_ROUTES.map((route) => {
      const access = accessOf(route.id);
      return { ...route, roles: access?.roles ?? null, leads: access !== null && access.subtree !== null };
    }),
    tags: TAGS,
  });
