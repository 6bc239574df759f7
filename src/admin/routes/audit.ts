import { Readable } from "node:stream";
import { AUDIT } from "../../contract/audit.ts";
import type { By } from "../../core/people/by.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import type { AuditEntry, ReadAudit } from "../../operator/audit/audit.ts";
import {
  auditCsvSchema,
  auditExport,
  type AuditFilters,
  type AuditFormat,
  auditHead,
  auditLine,
  auditNdjsonSchema,
  MOST_WHOLE,
} from "../../wire/admin/audit.ts";
import { type AdminRoute, route } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";

const EXPORTS: readonly AdminRoute[] = [
  route({
    id: "exportAuditCsv",
    tag: "audit",
    method: "GET",
    path: "/admin/v1/audit/export.csv",
    summary: "Export the audit log as CSV, oldest first",
    media: "text/csv",
    query: auditExport,
    answers: { 200: auditCsvSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { audit } }, { query, by }) => ({
      status: 200,
      body: await exported("csv", { audit, query, by }),
    }),
  }),
  route({
    id: "exportAuditNdjson",
    tag: "audit",
    method: "GET",
    path: "/admin/v1/audit/export.ndjson",
    summary: "Export the audit log as one JSON object per line, oldest first",
    media: "application/x-ndjson",
    query: auditExport,
    answers: { 200: auditNdjsonSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { audit } }, { query, by }) => ({
      status: 200,
      body: await exported("ndjson", { audit, query, by }),
    }),
  }),
];

/** The list, its exports, one entry. */
export const auditRoutes: readonly AdminRoute[] = serveOperations({
  tag: "audit",
  operations: AUDIT,
  of: ({ audit }) => audit,
}).toSpliced(1, 0, ...EXPORTS);

type Export = { audit: ReadAudit; query: AuditFilters; by: By };

/** Page by page, as fast as they are read. The first is read before anything is sent, so that a refusal is one. */
async function exported(format: AuditFormat, { audit, query, by }: Export): Promise<Readable> {
  const pageAt = (after: PageRequest["after"]): Promise<Page<AuditEntry>> =>
    audit.list({ ...query, limit: MOST_WHOLE, after, order: "oldest", documents: "whole" }, by);
  const first = await pageAt(null);
  async function* lines(): AsyncGenerator<string> {
    yield auditHead(format);
    for (let page = first; ; page = await pageAt(page.next)) {
      yield page.data.map((entry) => auditLine(format, entry)).join("");
      if (page.next === null) return;
    }
  }
  return Readable.from(lines(), { objectMode: false });
}
