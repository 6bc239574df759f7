import type { Database } from "../../db/database.ts";
import { holdPerson } from "../hold-person-store.ts";
import type { PasswordStore } from "./password.ts";

export const createPasswordStore = (database: Pick<Database, "query" | "transaction">): PasswordStore => ({
  set: (personId, hash, sessionId) =>
    database.transaction(async (tx) => {
      if (!(await holdPerson(tx, personId, sessionId === null ? null : { sessionId }))) return false;
      await tx.query("update person set password_hash = $2 where id = $1", [personId, hash]);
      return true;
    }),

  byEmail: async (email) => {
    const sql = `select id as "personId", password_hash as hash from person where email = $1 and state = 'active'`;
    return (await database.query<{ personId: string; hash: string | null }>(sql, [email]))[0] ?? null;
  },
});
