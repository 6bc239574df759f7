import type { AuditStore } from "../../audit/audit.ts";
import type { Clock } from "../../core/clock.ts";
import { createId } from "../../core/ids.ts";
import { whoOf } from "../../operator/audit/audited.ts";
import type { AuditPerson } from "../../entrance/audit-person.ts";

/** Writes down what was done to a person without an operator. */
export const createAuditPerson =
  (store: AuditStore, { nowMs }: Pick<Clock, "nowMs">): AuditPerson =>
  async (action, { id: personId, email }, { reason, ...by }) => {
    const id = createId(nowMs());
    const resource = { kind: "person", id: personId, name: email };
    const asked = reason === undefined ? null : JSON.stringify({ reason });
    await store.begin({ id, ...whoOf(by), action, resource, accountIds: [], asked, before: null });
    await store.end(id, { outcome: "done", code: null, resource: null, accountIds: [], after: null });
  };
