import type { PageRequest } from "../core/page.ts";
import { auditEntrySchema, type AuditFilters, auditListSchema } from "../wire/admin/audit.ts";
import { dateOf } from "../wire/admin/instant.ts";
import { type AskFor, queryOf } from "./ask-gateway.ts";

type Asked = AuditFilters & PageRequest & { order: string; documents: string };

/** The audit log, through the admin listener. */
export const remoteAudit = (ask: AskFor) => ({
  list: ({ fromMs, toMs, ...asked }: Asked) =>
    ask(auditListSchema, "GET", `/audit?${queryOf({ ...asked, from: dateOf(fromMs), to: dateOf(toMs) })}`),
  show: (id: string) => ask(auditEntrySchema, "GET", `/audit/${encodeURIComponent(id)}`),
});
