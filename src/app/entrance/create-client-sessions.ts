import { createAuditStore } from "../../audit/audit-store.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { type ClientSessions, createClientSessions } from "../../keys/client-session.ts";
import { createClientSessionStore } from "../../keys/client-session-store.ts";
import { auditClientSessions } from "../../entrance/client-session/audit-client-sessions.ts";
import type { SignInEvents } from "../../telemetry/sign-in-events.ts";
import { createAuditPerson } from "./audit-person.ts";

type Parts = { database: Database; events: Pick<SignInEvents, "sessionReused">; clock: Clock };

/** How people sign in with clients. */
export const createClientSessionsOn = ({ database, events, clock }: Parts): ClientSessions =>
  auditClientSessions(createClientSessions({ store: createClientSessionStore(database), clock }), {
    audit: createAuditPerson(createAuditStore(database), clock),
    events,
  });
