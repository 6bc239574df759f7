import type { Queryable } from "../db/database.ts";

/** What somebody proved themselves with a moment ago, which may have ended since; null: somebody else vouches for them. */
type Proof = { sessionId: string } | { passwordHash: string } | null;

/**
 * Whoever adds a way in, or ends them, holds the person's row: what is added while they end is either ended too or not added.
 * False: they were removed, or what they proved themselves with has ended.
 */
export async function holdPerson(tx: Queryable, personId: string, proof: Proof): Promise<boolean> {
  const hash = proof !== null && "passwordHash" in proof ? proof.passwordHash : null;
  const session = proof !== null && "sessionId" in proof ? proof.sessionId : null;
  const held = await tx.query(
    "select from person where id = $1 and state = 'active' and ($2::text is null or password_hash = $2) for no key update",
    [personId, hash],
  );
  if (held.length === 0) return false;
  // A statement of its own, so that it sees what ended while this one waited.
  return session === null || (await tx.query("select from session where id = $1", [session])).length > 0;
}
