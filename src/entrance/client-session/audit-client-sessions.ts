import type { By } from "../../core/people/by.ts";
import type { ClientSession, ClientSessions, SessionOrigin } from "../../keys/client-session.ts";
import type { SignInEvents } from "../../telemetry/sign-in-events.ts";
import type { AuditPerson } from "../audit-person.ts";

type Parts = { audit: AuditPerson; events: Pick<SignInEvents, "sessionReused"> };

/** What happens to sessions without an operator: it stands in the audit log all the same, and a theft in the log. */
export function auditClientSessions(sessions: ClientSessions, { audit, events }: Parts): ClientSessions {
  const tell = (action: Parameters<AuditPerson>[0], session: ClientSession, by: By) => {
    const reason = `${session.client}, session ${session.id}`;
    return audit(action, { id: session.personId, email: session.email }, { ...by, reason });
  };
  const themselves = ({ personId, email }: ClientSession): By => ({ actor: email, personId, via: "sso" });
  const tellBegun = (session: ClientSession, { address }: Pick<SessionOrigin, "address">) =>
    tell("client_session.begin", session, { ...themselves(session), ...(address !== null && { address }) });

  return {
    ...sessions,
    begin: async (personId, from) => {
      const begun = await sessions.begin(personId, from);
      if (begun.kind === "begun") await tellBegun(begun.session, from);
      return begun;
    },
    beginInBrowser: async (personId, from) => {
      const begun = await sessions.beginInBrowser(personId, from);
      if (begun.kind === "begun") await tellBegun(begun.session, from);
      return begun;
    },
    refresh: async (refreshToken) => {
      const refreshed = await sessions.refresh(refreshToken);
      if (refreshed.kind === "refused" && refreshed.reason === "reused" && refreshed.session !== null) {
        const { id, personId, email, client } = refreshed.session;
        events.sessionReused({ sessionId: id, personId, email, client });
        await tell("client_session.reuse", refreshed.session, { actor: "tollgate" });
      }
      return refreshed;
    },
    end: async (personId, which) => {
      const [session] = await sessions.list(personId);
      const ended = await sessions.end(personId, which);
      if (ended > 0 && session !== undefined) {
        const reason = `${ended} of their client sessions`;
        await audit("client_session.end", { id: personId, email: session.email }, { ...themselves(session), reason });
      }
      return ended;
    },
    revoke: async (token) => {
      const ended = await sessions.revoke(token);
      if (ended !== null) await tell("client_session.end", ended, themselves(ended));
      return ended;
    },
  };
}
