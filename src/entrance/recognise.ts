import { Fault } from "../core/fault.ts";
import { createId } from "../core/ids.ts";
import { createSessionSecret, isSessionSecret, isTokenSecret, secretDigest } from "./person-secret.ts";
import type { Person } from "../people/person.ts";
import type { PersonSession, SessionStore, SignedInVia } from "./session/session.ts";
import type { NarrowedToken, TokenStore } from "./token/token.ts";

/** A session nobody uses ends after half a day, and every session after a week. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
export const SESSION_MS = 7 * 86_400_000;
/** Last use is written down once a minute at most. */
const NOTED_MS = 60_000;
const AGENT_CHARACTERS = 120;

/** Whom a credential belongs to. */
export type Recognised = { person: Person; session: PersonSession | null; token: NarrowedToken | null };

export type Recognise = {
  /** What a cookie has. Null: no session has it, or not any more. */
  bySession: (secret: string) => Promise<Recognised | null>;
  byToken: (secret: string) => Promise<Recognised | null>;
  /** Opens a session, always under a secret of its own. `passwordHash` is what the password was compared with, where there was one. */
  openSession: (
    personId: string,
    from: { via: SignedInVia; address: string; agent: string; passwordHash: string | null },
  ) => Promise<{ secret: string; session: PersonSession }>;
};

type Parts = {
  sessions: Pick<SessionStore, "find" | "seen" | "open">;
  tokens: Pick<TokenStore, "find" | "used">;
  nowMs: () => number;
};

export const createRecognise = ({ sessions, tokens, nowMs }: Parts): Recognise => ({
  bySession: async (secret) => {
    if (!isSessionSecret(secret)) return null;
    const atMs = nowMs();
    const found = await sessions.find(secretDigest(secret), atMs);
    if (found === null) return null;
    if (atMs - found.session.lastSeenAtMs >= NOTED_MS) {
      const expiresAtMs = Math.min(atMs + SESSION_IDLE_MS, found.session.createdAtMs + SESSION_MS);
      await sessions.seen({ ...found.session, expiresAtMs }, atMs);
    }
    return { ...found, token: null };
  },
  byToken: async (secret) => {
    if (!isTokenSecret(secret)) return null;
    const atMs = nowMs();
    const found = await tokens.find(secretDigest(secret), atMs);
    if (found === null) return null;
    if (atMs - (found.token.lastUsedAtMs ?? 0) >= NOTED_MS) await tokens.used(found.token.id, atMs);
    return { ...found, session: null };
  },
  openSession: async (personId, { via, address, agent, passwordHash }) => {
    const atMs = nowMs();
    const { secret, digest } = createSessionSecret();
    const session: PersonSession = {
      id: createId(atMs),
      personId,
      via,
      createdAtMs: atMs,
      lastSeenAtMs: atMs,
      expiresAtMs: atMs + SESSION_IDLE_MS,
      address,
      agent: agent.slice(0, AGENT_CHARACTERS),
    };
    if (!(await sessions.open({ ...session, digest, passwordHash })))
      throw new Fault("invalid_credentials", "The person or their password was changed a moment ago. Sign in again.");
    return { secret, session };
  },
});
