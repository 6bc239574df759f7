import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import type { HolderSession } from "../../api/generated/holder.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { noteSignedIn } from "../../shell/holder-session.ts";

/** What happens to a client that is signed out. */
const CUT =
  "Requests that are running are cut off now, and what they delivered is charged. Its next request is rejected.";

export const SignOutOne = ({ of, onClose }: { of: HolderSession; onClose: () => void }): ReactNode => (
  <FormDialog
    title={of.is_current ? "Sign out here?" : `Sign out ${of.client}?`}
    lead={
      of.is_current ? "You have to sign in again here. Your other sessions go on." : `${CUT} You can sign in again.`
    }
    verb="Sign out"
    danger
    done={of.is_current ? "You are signed out" : `${of.client} is signed out`}
    onClose={onClose}
    act={(change) =>
      of.is_current ? leave() : change("DELETE /me/sessions/{session}", { params: { session: of.id } })
    }
  >
    {() => null}
  </FormDialog>
);

type Several = { others: number; onClose: () => void };

const counted = (others: number): string => (others === 1 ? "1 other session" : `${others} other sessions`);

export const SignOutOthers = ({ others, onClose }: Several): ReactNode => (
  <FormDialog
    title={`Sign out ${counted(others)}?`}
    lead="Requests that are running there are cut off now, and what they delivered is charged. Each has to sign in again. This one goes on."
    verb="Sign out the others"
    danger
    done="Your other sessions are signed out"
    onClose={onClose}
    act={(change) => change("DELETE /me/sessions")}
  >
    {() => null}
  </FormDialog>
);

export const SignOutEverywhere = ({ others, onClose }: Several): ReactNode => (
  <FormDialog
    title="Sign out everywhere?"
    lead={`This session and ${counted(others)} end. Requests that are running are cut off now, and what they delivered is charged. Do this if a device of yours was lost.`}
    verb="Sign out everywhere"
    danger
    done="You are signed out everywhere"
    onClose={onClose}
    act={async (change) => {
      await change("DELETE /me/sessions");
      await leave();
    }}
  >
    {() => null}
  </FormDialog>
);

/** Ends the session of this page and loads it anew, so that nothing it has read stays. */
async function leave(): Promise<void> {
  const { data } = await call("GET /me/sessions");
  const current = data.find(({ is_current: isCurrent }) => isCurrent);
  // Signing out ends the cookie; where it stands for a client, the client is signed out by its id.
  if (current !== undefined) await call("DELETE /me/sessions/{session}", { params: { session: current.id } });
  noteSignedIn("no");
  await call("DELETE /me/session");
  location.assign("/console");
  await new Promise(() => undefined);
}
