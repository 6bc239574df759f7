import type { ReactNode } from "react";
import type { ClientSession } from "../../api/generated/admin.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";

/** What ending one does, for whoever ends it. */
const CUT = "Its next request gets 401, and its running streams are cut. What they delivered is charged.";

type One = { of: Pick<ClientSession, "id" | "person_id" | "client">; name: string; onClose: () => void };

export const EndClientSession = ({ of, name, onClose }: One): ReactNode => (
  <FormDialog
    title={`End the session of ${of.client}?`}
    lead={`${name} has to sign in again with it. ${CUT}`}
    verb="End the session"
    danger
    done="The session has ended"
    onClose={onClose}
    act={(change) =>
      change("DELETE /admin/v1/people/{person}/client-sessions/{session}", {
        params: { person: of.person_id, session: of.id },
      })
    }
  >
    {() => null}
  </FormDialog>
);

type All = { of: { id: string; name: string }; onClose: () => void };

export const EndClientSessions = ({ of, onClose }: All): ReactNode => (
  <FormDialog
    title={`Sign ${of.name} out of all clients?`}
    lead="They have to sign in again with every client. The next request of each gets 401, and running streams are cut. What they delivered is charged. Keys and browsers of the operators’ console go on."
    verb="End all client sessions"
    danger
    done="Their client sessions have ended"
    onClose={onClose}
    act={(change) => change("DELETE /admin/v1/people/{person}/client-sessions", { params: { person: of.id } })}
  >
    {() => null}
  </FormDialog>
);
