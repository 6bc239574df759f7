import type { ClientSessions } from "../../keys/client-session.ts";
import type { KeyHolder } from "./holder-door.ts";
import { recordsAway } from "./records-away.ts";

/** The keys whose requests a holder sees: the own one; of somebody who signed in, those of all their clients and browsers. */
export type OwnKeys = (holder: KeyHolder) => Promise<readonly string[]>;

export const createOwnKeys =
  ({ sessions }: { sessions: Pick<ClientSessions, "everOf"> }): OwnKeys =>
  async ({ key: { id, personId } }) => {
    if (personId === null) return [id];
    const ever = await sessions.everOf(personId).catch(recordsAway);
    return ever.includes(id) ? ever : [id, ...ever];
  };
