import { invariant } from "../core/invariant.ts";
import { NO_LOOKS } from "../operator/audit/audit-looks.ts";
import { audited, type AuditParts, type AuditRows, type AuditSubject } from "../operator/audit/audited.ts";
import type { Operator } from "../operator/operator.ts";
import type { PasswordSignIn } from "../entrance/password/password-sign-in.ts";
import type { ManageStorage } from "../operator/storage.ts";
import { auditRowsOf } from "./operation.ts";
import { type Declared, eachResource } from "./resources.ts";

const personNamed = (name: string): AuditSubject => ({ kind: "person", name });

const OPERATIONS = eachResource(auditRowsOf) as { readonly [Group in keyof Declared]: AuditRows<Declared[Group]> };

/** What becomes of each method in the audit log: `read`, or how its change is told. */
export const AUDIT_TABLE: { readonly [Group in keyof Operator]: AuditRows<Operator[Group]> } = {
  ...OPERATIONS,
  live: { ...OPERATIONS.live, watch: "read" },
};

/** What operators can do, with every change in the audit log. */
export function auditedOperator(operator: Operator, parts: AuditParts): Operator {
  const groups = Object.entries(operator as Record<string, object>).map(([name, group]) => {
    const rows = (AUDIT_TABLE as Record<string, AuditRows<object> | undefined>)[name];
    invariant(rows, `the audit table tells of ${name}`);
    return [name, audited(group, rows, parts)];
  });
  return Object.fromEntries(groups) as Operator;
}

/** The same for whoever has the database itself. */
const STORAGE_TABLE: AuditRows<ManageStorage> = {
  listDays: "read",
  repairDay: {
    action: "ledger.repair_day",
    of: (day) => ({ kind: "ledger", name: day }),
    after: (repaired) => repaired,
  },
  adopt: {
    action: "ledger.adopt",
    of: () => ({ kind: "ledger", name: null }),
    after: (adoption) => adoption,
    changes: ({ apply }) => apply,
  },
  repairPeriods: {
    action: "ledger.repair_periods",
    of: () => ({ kind: "ledger", name: null }),
    after: (limits) => ({ limits }),
    changes: ({ apply }) => apply,
  },
};

export const auditedStorage = (storage: ManageStorage, parts: Omit<AuditParts, "looks">): ManageStorage =>
  audited(storage, STORAGE_TABLE, { ...parts, looks: NO_LOOKS });

/** The secrets of both are shown to nobody. */
export const SIGN_IN_ROWS: AuditRows<PasswordSignIn> = {
  withPassword: { action: "session.create", of: ({ email }) => personNamed(email) },
  out: { action: "session.end", of: (_secret, { actor }) => personNamed(actor) },
  setUp: {
    action: "setup.finish",
    of: (_token, { email }) => personNamed(email),
    asked: (_token, { email, name }) => ({ email, name }),
  },
  offerSetup: "read",
  isSetUp: "read",
  makeFirst: {
    action: "setup.finish",
    of: ({ email }) => personNamed(email),
    asked: ({ email, name }) => ({ email, name }),
  },
};
