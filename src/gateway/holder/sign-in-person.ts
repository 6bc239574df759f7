import { Fault } from "../../core/fault.ts";
import type { BegunBrowser, ClientSessions, SessionOrigin } from "../../keys/client-session.ts";
import type { HolderDoor, SessionToken } from "./holder-door.ts";
import { recordsAway } from "./records-away.ts";

/** Somebody came back from the identity provider: their browser gets a session of their account. */
export type SignInPerson = (personId: string, from: Omit<SessionOrigin, "client">) => Promise<SessionToken>;

type Parts = { door: Pick<HolderDoor, "open">; sessions: Pick<ClientSessions, "beginInBrowser"> };

export const createSignInPerson =
  ({ door, sessions }: Parts): SignInPerson =>
  async (personId, from) => {
    const begun = await sessions.beginInBrowser(personId, { ...from, client: browserNamed(from.agent) });
    if (begun.kind === "refused") throw new Fault("key_disabled", WHY[begun.reason]);
    return door.open({ id: begun.session.id, bucket: begun.bucket }).catch(recordsAway);
  };

const WHY: Record<Extract<BegunBrowser, { kind: "refused" }>["reason"], string> = {
  unknown_person: "You were removed here a moment ago. Ask an operator.",
  no_account:
    "You have no account here to pay from. Ask an operator to add one of your groups to a team in sign_in.groups.",
  suspended: "Your account is suspended. Ask an operator to resume it, then sign in again.",
};

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(?:e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** `Firefox on Linux`: browsers say in their `user-agent` also what they are not, so the order counts. */
export function browserNamed(agent: string): string {
  const find = (known: readonly [RegExp, string][]) => known.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [find(BROWSERS) ?? "Browser", find(SYSTEMS)];
  return system === undefined ? browser : `${browser} on ${system}`;
}
