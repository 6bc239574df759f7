import { Readable } from "node:stream";
import type { By } from "../../core/by.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import type { AuditEntry, ReadAudit } from "../../operator/audit.ts";
import {
  auditCsvSchema,
  auditEntrySchema,
  auditExportSchema,
  type AuditFilters,
  type AuditFormat,
  auditHead,
  auditIdSchema,
  auditLine,
  auditListSchema,
  auditNdjsonSchema,
  auditPageSchema,
  auditView,
  MOST_WHOLE,
} from "../../wire/admin/audit.ts";
import { pageView } from "../../wire/admin/page.ts";
import { type AdminRoute, route } from "../route.ts";

export const auditRoutes: readonly AdminRoute[] = [
  route({
    id: "listAudit",
    tag: "audit",
    method: "GET",
    path: "/admin/v1/audit",
    summary: "List changes and rejected attempts, newest first, by actor, resource, action, account and time",
    query: auditPageSchema,
    answers: { 200: auditListSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { audit } }, { query, by }) => ({
      status: 200,
      body: pageView(await audit.list(query, by), auditView),
    }),
  }),
  route({
    id: "exportAuditCsv",
    tag: "audit",
    method: "GET",
    path: "/admin/v1/audit/export.csv",
    summary: "Export the audit log as CSV, oldest first",
    media: "text/csv",
    query: auditExportSchema,
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
    query: auditExportSchema,
    answers: { 200: auditNdjsonSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { audit } }, { query, by }) => ({
      status: 200,
      body: await exported("ndjson", { audit, query, by }),
    }),
  }),
  route({
    id: "showAudit",
    tag: "audit",
    method: "GET",
    path: "/admin/v1/audit/{entry}",
    summary: "Show one entry of the audit log, with the resource before and after",
    params: auditIdSchema,
    answers: { 200: auditEntrySchema },
    refusals: ["not_found"],
    handle: async ({ operator: { audit } }, { params, by }) => ({
      status: 200,
      body: auditView(await audit.show(params.entry, by)),
    }),
  }),
];

type Export = { audit: ReadAudit; query: AuditFilters; by: By };

/** Page by page, as fast as they are read. The first is read before anything is sent, so that a refusal is one. */
async function exported(format: AuditFormat, { audit, query, by }: Export): Promise<Readable> {
  const pageAt = (after: PageRequest["after"]): Promise<Page<AuditEntry>> =>
    audit.list({ ...query, limit: MOST_WHOLE, after, order: "oldest", documents: "whole" }, by);
  const first = await pageAt(null);
  async function* lines(): AsyncGenerator<string> {
    yield auditHead(format);
    for (let page = first; ; page = await pageAt(page.next)) {
      yield page.data.map((entry) => auditLine(format, auditView(entry))).join("");
      if (page.next === null) return;
    }
  }
  return Readable.from(lines(), { objectMode: false });
}
