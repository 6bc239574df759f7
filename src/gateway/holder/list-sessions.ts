import type { ClientSession, ClientSessions, WhichSessions } from "../../keys/client-session.ts";
import type { Key } from "../../keys/key.ts";
import type { HolderSessions } from "../../wire/holder/sessions.ts";
import type { KeyHolder } from "./holder-door.ts";
import { recordsAway } from "./records-away.ts";

/** GET /me/sessions: the clients that a signed-in person is signed in with, newest first. Whoever shows a key has none. */
export type ListOwnSessions = (holder: KeyHolder) => Promise<HolderSessions>;

/** DELETE /me/sessions: ends one of them, or all but the one that asks; answers how many. */
export type EndOwnSessions = (holder: KeyHolder, id: string | null) => Promise<{ ended: number }>;

export const ownSessions = async ({ personId }: Key, list: ClientSessions["list"]): Promise<readonly ClientSession[]> =>
  personId === null ? [] : list(personId).catch(recordsAway);

export const createListOwnSessions =
  ({ sessions }: { sessions: Pick<ClientSessions, "list"> }): ListOwnSessions =>
  async ({ key }) => {
    const own = await ownSessions(key, sessions.list);
    return { data: own.map((session) => ({ ...session, isCurrent: session.id === key.id })) };
  };

export const createEndOwnSessions =
  ({ sessions }: { sessions: Pick<ClientSessions, "end"> }): EndOwnSessions =>
  async ({ key: { id: current, personId } }, id) => {
    if (personId === null) return { ended: 0 };
    const which: WhichSessions = id === null ? { except: current } : { id };
    return { ended: await sessions.end(personId, which).catch(recordsAway) };
  };
