import type { By } from "../../core/people/by.ts";
import { Fault } from "../../core/fault.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor, UUID } from "../../core/page.ts";
import type { ClientSession, ClientSessions, ClientSessionStore, WhichSessions } from "../../keys/client-session.ts";
import type { PeopleStore } from "../../people/person.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { findPerson } from "../../people/find-person.ts";

/** Null: not restricted by it. */
export type ListedSessions = PageRequest & { person: string | null; account: string | null };

/** What operators do with clients that people signed in with. A person is named by their id or their email. */
export type ManageClientSessions = {
  /** Newest first: those of one person, those in an account and below it, or everybody's. */
  list: (asked: ListedSessions, by?: Pick<By, "within">) => Promise<Page<ClientSession>>;
  /** Ends them, all or all but one, at once: requests with them are refused from now on, and running streams are cut. */
  endAll: (of: string, which: { except: string | null }, by: By) => Promise<{ ended: number }>;
  end: (of: string, id: string, by: By) => Promise<{ ended: number }>;
};

type Parts = {
  sessions: Pick<ClientSessions, "end">;
  store: Pick<ClientSessionStore, "page">;
  people: Pick<PeopleStore, "byId" | "byEmail">;
  /** For whoever sees these accounts alone, what is elsewhere does not exist. */
  findAccount: (name: string, within: By["within"]) => Promise<{ id: string }>;
  events: Pick<OperatorEvents, "personChanged">;
};

const NEWEST_FIRST: Keyset = { list: "client_sessions", values: [UUID] };

const unlessLead =
  (within: By["within"]) =>
  (error: unknown): null => {
    if (within === undefined || !(error instanceof Fault && error.code === "not_found")) throw error;
    return null;
  };

export function createManageClientSessions({
  sessions,
  store,
  people,
  findAccount,
  events,
}: Parts): ManageClientSessions {
  async function end(of: string, which: WhichSessions, by: By): Promise<{ ended: number }> {
    const { id, email } = await findPerson(people, of);
    const ended = await sessions.end(id, which);
    if (ended > 0) events.personChanged({ personId: id, email, change: `${ended} client sessions ended`, ...by });
    return { ended };
  }

  return {
    list: async ({ person: of, account: place, limit, after }, { within } = {}) => {
      const [last = null] = readCursor(NEWEST_FIRST, after) ?? [];
      const person = of === null ? null : await findPerson(people, of).catch(unlessLead(within));
      // A lead does not learn who there is elsewhere.
      if (of !== null && person === null) return { data: [], next: null };
      const personId = person?.id ?? null;
      const account = place === null ? null : await findAccount(place, within);
      const accountId = account?.id ?? null;
      const rows = await store.page({ limit: limit + 1, after: last, personId, accountId, within: within ?? null });
      return pageOf(rows, { limit, list: NEWEST_FIRST.list, valuesOf: ({ id }) => [id] });
    },
    endAll: end,
    end: (of, id, by) => end(of, { id }, by),
  };
}
