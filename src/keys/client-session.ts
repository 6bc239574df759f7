import type { Clock } from "../core/clock.ts";
import { createId } from "../core/ids.ts";
import { UUID } from "../core/page.ts";
import {
  createSalt,
  createTokenPair,
  nextTokenPair,
  prefixOf,
  readAccessToken,
  readRefreshToken,
  type TokenFamily,
  tokenDigest,
  type TokenPair,
} from "./session-secret.ts";

/** A client that somebody signed in with. It is a key of their account whose secrets live for an hour; its id is the key's. */
export type ClientSession = {
  id: string;
  personId: string;
  email: string;
  name: string;
  accountId: string;
  /** The names of the account from the root down. */
  account: string;
  /** The first twelve characters of its access tokens; not secret. */
  prefix: string;
  /** What signed in: `Claude Code`. */
  client: string;
  agent: string;
  address: string;
  createdAtMs: number;
  refreshedAtMs: number;
  /** When it last sent a request, to five minutes at best; null: not yet. */
  usedAtMs: number | null;
  /** When it ends unless it is refreshed before. */
  expiresAtMs: number;
};

export type SessionTokens = {
  sessionId: string;
  accessToken: string;
  refreshToken: string;
  expiresInSeconds: number;
};

export type BegunSession =
  | { kind: "begun"; tokens: SessionTokens; session: ClientSession }
  /** `no_account`: none is theirs that keys can be made in. `suspended`: it, or one above it, may spend nothing. */
  | { kind: "refused"; reason: "unknown_person" | "no_account" | "suspended" };

/** `bucket`: of its account, where what is kept of it is found. */
export type BegunBrowser =
  | { kind: "begun"; session: ClientSession; bucket: number }
  | Extract<BegunSession, { kind: "refused" }>;

export type RefreshedSession =
  | { kind: "refreshed"; tokens: SessionTokens; session: ClientSession }
  /**
   * `over`: its time is. `ended`: somebody ended it. `suspended`: it may go on when its account is resumed. `reused`: the token was used
   * before, so that two have it; the session was ended with this answer.
   */
  | { kind: "refused"; reason: "unknown" | "over" | "ended" | "suspended" | "reused"; session: ClientSession | null };

/** Where a session comes from, as far as it is told. */
export type SessionOrigin = { client: string; agent: string; address: string | null };

/** One, or all but one; null: none goes on. */
export type WhichSessions = { id: string } | { except: string | null };

export type ClientSessions = {
  begin: (personId: string, from: SessionOrigin) => Promise<BegunSession>;
  /** The same for a browser, which gets no tokens: it ends after 12 hours, and when the person signs out there. */
  beginInBrowser: (personId: string, from: SessionOrigin) => Promise<BegunBrowser>;
  /** The same token gets the same answer for a minute: a lost answer, or two processes of one client, sign nobody out. */
  refresh: (refreshToken: string) => Promise<RefreshedSession>;
  /** Ends the session of an access or refresh token, whether or not its time is over. Null: there is none. */
  revoke: (token: string) => Promise<ClientSession | null>;
  /** Those that have not ended, newest first. */
  list: (personId: string) => Promise<readonly ClientSession[]>;
  /** Answers how many were ended. */
  end: (personId: string, which: WhichSessions) => Promise<number>;
  /** Ends a session that was begun in a browser. Any other goes on: its client is still signed in. */
  leaveBrowser: (id: string) => Promise<void>;
  /** The ids of their sessions, also of those that have ended: those of clients before those of browsers, newest first, 500 at most. */
  everOf: (personId: string) => Promise<readonly string[]>;
};

export type NewClientSession = Omit<SessionOrigin, "address"> & {
  id: string;
  isBrowser: boolean;
  personId: string;
  address: string;
  /** Made for the bucket of their account. */
  tokensFor: (bucket: number) => { pair: TokenPair; familyDigest: Buffer; digests: TokenDigests; prefix: string };
  lifetime: SessionLifetime;
};

export type TokenDigests = { access: Buffer; refresh: Buffer };

export type SessionLifetime = { accessMs: number; idleMs: number; longestMs: number };

/** What the store finds of a refresh token. */
export type ShownRefresh = {
  familyDigest: Buffer;
  digest: Buffer;
  graceMs: number;
  lifetime: SessionLifetime;
  /** What follows, with a salt of this moment or with the one that was used. */
  next: (salt: Buffer) => { digests: TokenDigests; prefix: string };
  salt: Buffer;
};

export type StoredRefresh =
  | { kind: "refreshed"; salt: Buffer; expiresInMs: number; session: ClientSession }
  | Extract<RefreshedSession, { kind: "refused" }>;

/** Where client sessions are kept: in the database that has the people. */
export type ClientSessionStore = {
  insert: (
    session: NewClientSession,
  ) => Promise<
    { pair: TokenPair; session: ClientSession; bucket: number } | Extract<BegunSession, { kind: "refused" }>["reason"]
  >;
  refresh: (shown: ShownRefresh) => Promise<StoredRefresh>;
  byFamily: (familyDigest: Buffer) => Promise<ClientSession | null>;
  list: (personId: string) => Promise<ClientSession[]>;
  /** Newest first. `accountId`, `within`: those in or below this account, and in these alone. */
  page: (page: {
    limit: number;
    after: string | null;
    personId: string | null;
    accountId: string | null;
    within: readonly string[] | null;
  }) => Promise<ClientSession[]>;
  end: (personId: string, which: WhichSessions, because: "signed_out" | "ended") => Promise<number>;
  leaveBrowser: (id: string) => Promise<void>;
  everOf: (personId: string) => Promise<string[]>;
};

/** An access token is good for an hour. A session ends when it was not refreshed for 30 days, and 90 days after the sign-in. */
export const SESSION_LIFETIME: SessionLifetime = {
  accessMs: 3_600_000,
  idleMs: 30 * 86_400_000,
  longestMs: 90 * 86_400_000,
};

const BROWSER_MS = 12 * 3_600_000;

/** How long somebody stays signed in with a browser. */
export const BROWSER_LIFETIME: SessionLifetime = { accessMs: BROWSER_MS, idleMs: BROWSER_MS, longestMs: BROWSER_MS };

/** How long a refresh token that was used gets the same answer again. */
export const REFRESH_GRACE_MS = 60_000;

const CLIENT_CHARACTERS = 60;
const AGENT_CHARACTERS = 120;
const ADDRESS_CHARACTERS = 64;

type Parts = { store: ClientSessionStore; clock: Pick<Clock, "nowMs"> };

export function createClientSessions({ store, clock }: Parts): ClientSessions {
  const insert = (personId: string, { client, agent, address }: SessionOrigin, kind: "client" | "browser") =>
    store.insert({
      id: createId(clock.nowMs()),
      personId,
      isBrowser: kind === "browser",
      client: printable(client, CLIENT_CHARACTERS) || `unknown ${kind}`,
      agent: printable(agent, AGENT_CHARACTERS),
      address: printable(address ?? "", ADDRESS_CHARACTERS),
      tokensFor,
      lifetime: kind === "browser" ? BROWSER_LIFETIME : SESSION_LIFETIME,
    });

  return {
    begin: async (personId, from) => {
      const made = await insert(personId, from, "client");
      if (typeof made === "string") return { kind: "refused", reason: made };
      const { pair, session } = made;
      return { kind: "begun", tokens: tokensOf(pair, session, SESSION_LIFETIME.accessMs), session };
    },

    // Its tokens are forgotten here, so that nobody can refresh it or send one.
    beginInBrowser: async (personId, from) => {
      const made = await insert(personId, from, "browser");
      return typeof made === "string"
        ? { kind: "refused", reason: made }
        : { kind: "begun", session: made.session, bucket: made.bucket };
    },

    refresh: (refreshToken) => refresh(store, refreshToken),

    revoke: async (token) => {
      const of = readAccessToken(token) ?? readRefreshToken(token);
      // Whoever shows a token of the session may end it, also with one whose time is over: it can only be its client or a thief.
      const session = of === null ? null : await store.byFamily(familyDigest(of));
      if (session === null) return null;
      const ended = await store.end(session.personId, { id: session.id }, "signed_out");
      return ended > 0 ? session : null;
    },

    list: store.list,
    everOf: store.everOf,
    leaveBrowser: store.leaveBrowser,
    end: async (personId, which) => ("id" in which && !UUID.test(which.id) ? 0 : store.end(personId, which, "ended")),
  };
}

async function refresh(store: ClientSessionStore, refreshToken: string): Promise<RefreshedSession> {
  const of = readRefreshToken(refreshToken);
  if (of === null) return { kind: "refused", reason: "unknown", session: null };
  const pairWith = (salt: Buffer): TokenPair => nextTokenPair(refreshToken, of, salt);
  const found = await store.refresh({
    familyDigest: familyDigest(of),
    digest: tokenDigest(refreshToken),
    graceMs: REFRESH_GRACE_MS,
    lifetime: SESSION_LIFETIME,
    next: (salt) => digestsOf(pairWith(salt)),
    salt: createSalt(),
  });
  if (found.kind === "refused") return found;
  const { salt, session, expiresInMs } = found;
  return { kind: "refreshed", tokens: tokensOf(pairWith(salt), session, expiresInMs), session };
}

function tokensFor(bucket: number): ReturnType<NewClientSession["tokensFor"]> {
  const pair = createTokenPair(bucket);
  return { pair, familyDigest: familyDigest(pair), ...digestsOf(pair) };
}

const digestsOf = (pair: TokenPair): { digests: TokenDigests; prefix: string } => ({
  digests: { access: tokenDigest(pair.accessToken), refresh: tokenDigest(pair.refreshToken) },
  prefix: prefixOf(pair.accessToken),
});

const familyDigest = ({ family }: Pick<TokenFamily, "family">): Buffer => tokenDigest(family);

const tokensOf = (pair: TokenPair, { id }: ClientSession, expiresInMs: number): SessionTokens => ({
  sessionId: id,
  accessToken: pair.accessToken,
  refreshToken: pair.refreshToken,
  expiresInSeconds: Math.max(0, Math.floor(expiresInMs / 1_000)),
});

/** What strangers call themselves is shown to people: no control characters, and not more than fits. */
const printable = (text: string, most: number): string => text.replaceAll(/\p{C}/gu, "").trim().slice(0, most);
