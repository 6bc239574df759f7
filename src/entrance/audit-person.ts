import type { By } from "../core/people/by.ts";

/** Writes into the audit log what was done to a person, and by whom. */
export type AuditPerson = (
  action:
    | "session.create"
    | "person.link"
    | "person.leave"
    | "device.decide"
    | "client_session.begin"
    | "client_session.reuse"
    | "client_session.end",
  person: { id: string; email: string },
  by: By & { reason?: string },
) => Promise<void>;
