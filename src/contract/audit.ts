import { z } from "zod";
import type { AskedAudit, ReadAudit } from "../operator/audit/audit.ts";
import { auditEntry, auditFilters, FILTER_NAMES, MOST_WHOLE } from "../wire/admin/audit.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { sparse } from "../wire/codec.ts";
import type { Operations } from "./operation.ts";

const auditQuery = z.codec(
  sparse(
    z.strictObject({
      ...pageQuery(50).in.shape,
      ...auditFilters,
      order: z.enum(["newest", "oldest"]).default("newest").describe("Which entries come first."),
      documents: z
        .enum(["short", "whole"])
        .default("short")
        .describe(
          `\`short\`: documents above 16 KiB are left out; show the entry to read them. \`whole\`: none are, and a page has at most ${MOST_WHOLE} rows.`,
        ),
    }),
    FILTER_NAMES,
  ),
  z.custom<AskedAudit>(),
  {
    decode: ({ limit, ...asked }) => ({
      ...asked,
      limit: asked.documents === "whole" ? Math.min(limit, MOST_WHOLE) : limit,
    }),
    encode: (asked) => asked,
  },
);

export const auditPage = pageSchema(auditEntry);

/** How operators read the audit log, below `/admin/v1`. */
export const AUDIT: Operations<ReadAudit> = {
  list: {
    id: "listAudit",
    method: "GET",
    path: "/audit",
    summary: "List changes and rejected attempts, newest first, by actor, resource, action, account and time",
    payload: auditQuery,
    answer: auditPage,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  show: {
    id: "showAudit",
    method: "GET",
    path: "/audit/{entry}",
    summary: "Show one entry of the audit log, with the resource before and after",
    params: z.object({ entry: z.string().describe("Id of the entry.") }),
    answer: auditEntry,
    refusals: ["not_found"],
    audit: "read",
  },
};
