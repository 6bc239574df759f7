import type { Database } from "../../db/database.ts";
import { PERSON, personOf, type PersonRow } from "../../people/people-store.ts";
import type { PersonSession, SessionStore } from "./session.ts";
import { holdPerson } from "../hold-person-store.ts";

type SessionRow = Omit<PersonSession, "createdAtMs" | "lastSeenAtMs" | "expiresAtMs"> & {
  openedAt: Date;
  seenAt: Date;
  endsAt: Date;
};

const SESSION = `s.id as "sessionId", s.person_id as "personId", s.via, s.created_at as "openedAt", s.last_seen_at as "seenAt",
  s.expires_at as "endsAt", s.address, s.agent`;

const sessionOf = (row: Omit<SessionRow, "id"> & { sessionId: string }): PersonSession => ({
  id: row.sessionId,
  personId: row.personId,
  via: row.via,
  createdAtMs: row.openedAt.getTime(),
  lastSeenAtMs: row.seenAt.getTime(),
  expiresAtMs: row.endsAt.getTime(),
  address: row.address,
  agent: row.agent,
});

export const createSessionStore = (database: Pick<Database, "query" | "transaction">): SessionStore => ({
  open: async ({ digest, id, personId, via, createdAtMs, expiresAtMs, address, agent, passwordHash }) => {
    const at = new Date(createdAtMs);
    await database.query("delete from session where expires_at < $1", [at]);
    return database.transaction(async (tx) => {
      if (!(await holdPerson(tx, personId, passwordHash === null ? null : { passwordHash }))) return false;
      await tx.query(
        `with s as (
           insert into session (digest, id, person_id, via, created_at, last_seen_at, expires_at, address, agent)
           values ($1, $2, $3, $4, $5, $5, $6, $7, $8)
         ) update person set last_seen_at = $5 where id = $3`,
        [digest, id, personId, via, at, new Date(expiresAtMs), address, agent],
      );
      return true;
    });
  },

  find: async (digest, atMs) => {
    type Row = PersonRow & Omit<SessionRow, "id"> & { sessionId: string };
    const [row] = await database.query<Row>(
      `select ${PERSON}, ${SESSION} from session s join person p on p.id = s.person_id
        where s.digest = $1 and s.expires_at > $2 and p.state = 'active'`,
      [digest, new Date(atMs)],
    );
    if (row === undefined) return null;
    const { sessionId, personId, via, openedAt, seenAt, endsAt, address, agent, ...person } = row;
    const session = sessionOf({ sessionId, personId, via, openedAt, seenAt, endsAt, address, agent });
    return { person: personOf(person), session };
  },

  seen: async ({ id, personId, expiresAtMs }, atMs) => {
    // One after the other, each for itself: no row is held while another is waited for.
    const at = new Date(atMs);
    await database.query("update session set last_seen_at = $2, expires_at = $3 where id = $1", [
      id,
      at,
      new Date(expiresAtMs),
    ]);
    await database.query("update person set last_seen_at = $2 where id = $1", [personId, at]);
  },

  close: async (digest) => {
    await database.query("delete from session where digest = $1", [digest]);
  },

  of: async (personId) => {
    type Row = Omit<SessionRow, "id"> & { sessionId: string };
    const sql = `select ${SESSION} from session s where s.person_id = $1 order by s.created_at desc, s.id limit 1000`;
    return (await database.query<Row>(sql, [personId])).map(sessionOf);
  },

  end: async (personId, which) => {
    const ended = await database.query(
      `delete from session where person_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3) returning id`,
      "id" in which ? [personId, which.id, null] : [personId, null, which.except],
    );
    return ended.length;
  },
});
