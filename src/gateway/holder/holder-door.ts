import type { Clock } from "../../core/clock.ts";
import { Fault } from "../../core/fault.ts";
import { tryAgainIn } from "../../core/request/parsed-texts.ts";
import type { AddressLimit } from "../../keys/address-limit.ts";
import { type AddressOf, type Authenticate, invalidKey } from "../../keys/authenticate.ts";
import { createSessionToken, type KeySessionStore, readSessionToken, sessionDigest } from "../../keys/key-session.ts";
import type { Key, KeyStore } from "../../keys/key.ts";
import type { MinuteCount } from "../../keys/minute-count.ts";
import { digestOf } from "../../keys/secret.ts";
import { requireUsable } from "../../keys/usable.ts";
import { recordsAway } from "./records-away.ts";

/** A key holder who reads about the own key. `session`: null when the key itself was sent. */
export type KeyHolder = { key: Key; session: { expiresAtMs: number } | null };

/** What a key holder showed: a key, the token of a session, or neither. A key counts before a session. */
export type Shown = { secret: string | null; token: string | null; address: AddressOf };

/** What a browser keeps of a session. */
export type SessionToken = { token: string; expiresAtMs: number; lifetimeMs: number };

export type SignedIn = SessionToken & { key: Key };

export type HolderDoor = {
  /** Lets a key holder read something, as often and as much at once as one key may. */
  read: <Told>(shown: Shown, work: (holder: KeyHolder) => Promise<Told>) => Promise<Told>;
  /** The key of a session, as it is now. */
  keyOf: (shown: Pick<Shown, "token" | "address">) => Promise<Key>;
  /** `replaced`: the token of a session that ends with this one. */
  signIn: (shown: { secret: string; replaced: string | null; address: AddressOf }) => Promise<SignedIn>;
  /** For a browser of somebody who signed in: the session of their client is the key. */
  open: (session: Pick<Key, "id" | "bucket">) => Promise<SessionToken>;
  signOut: (token: string) => Promise<void>;
};

/** Where a key and its sessions are. */
export type HolderStores = { sessions: KeySessionStore; keys: Pick<KeyStore, "findByDigests" | "find"> };

type Parts = {
  authenticate: Pick<Authenticate, "find">;
  storesOf: (bucket: number) => HolderStores;
  /** Sessions that nobody opened, by address. */
  unknown: AddressLimit;
  /** Reads and sign-ins of each key. They do not count against its requests per minute. */
  reads: MinuteCount;
  readsPerMinute: number;
  /** Ends a client session that was begun in a browser, and no other. */
  leaveBrowser: (id: string) => Promise<void>;
  clock: Clock;
};

const SESSION_MS = 12 * 3_600_000;
const MOST_READS_AT_ONCE = 8;
/** Fewer than operators have connections: while one key's reads are slow, others find some. */
const MOST_READING = 2;
/** A flood of made-up sessions must not become a flood of queries. */
const MOST_LOOKUPS = 64;

/** Decides who reads about which key. The state of the key is read from the database every time. */
export function createHolderDoor(parts: Parts): HolderDoor {
  const { storesOf } = parts;
  const bySession = createFindBySession(parts);
  const oneOfFew = limitReadsAtOnce();
  return {
    read: async ({ secret, token, address }, work) => {
      const counted: typeof work = (holder) => {
        count(parts, holder.key);
        return work(holder);
      };
      if (secret === null) {
        const holder = token === null ? nothingSent() : await bySession(token, address);
        return oneOfFew(holder.key.id, () => counted(holder));
      }
      const known = await parts.authenticate.find(secret, address);
      return oneOfFew(known.id, async () => counted(await asItIsNow(parts, secret, known)));
    },

    keyOf: async ({ token, address }) => {
      if (token === null) throw noSession();
      return (await bySession(token, address)).key;
    },

    signIn: async ({ secret, replaced, address }) => {
      const { key } = await asItIsNow(parts, secret, await parts.authenticate.find(secret, address));
      count(parts, key);
      const opened = await open(storesOf, key, key.personId === null ? bytesOf(secret) : null);
      if (replaced !== null) await signOut(parts, replaced);
      return { key, ...opened };
    },

    open: (session) => open(storesOf, session, null),
    signOut: (token) => signOut(parts, token),
  };
}

type StoresOf = Parts["storesOf"];

const bytesOf = (secret: string): Buffer => Buffer.from(digestOf(secret), "base64url");

async function keyBy(storesOf: StoresOf, secretDigest: Buffer, bucket: number): Promise<Key | null> {
  const [key] = await storesOf(bucket).keys.findByDigests([secretDigest]).catch(recordsAway);
  return key ?? null;
}

/** It goes on while its client gets other tokens, so the time of none of them matters here. */
async function clientSession(storesOf: StoresOf, id: string, bucket: number): Promise<Key | null> {
  const [key] = await storesOf(bucket).keys.find(id).catch(recordsAway);
  return key === undefined || key.personId === null ? null : { ...key, secretExpiresAtMs: null };
}

/** What is remembered of a key may be a moment old, so it only says where to look. */
async function asItIsNow({ storesOf, clock }: Parts, secret: string, { bucket }: Key): Promise<KeyHolder> {
  const key = await keyBy(storesOf, bytesOf(secret), bucket);
  if (key === null) throw invalidKey();
  requireUsable(key, clock.nowMs(), "full");
  return { key, session: null };
}

type FindBySession = (token: string, address: AddressOf) => Promise<KeyHolder>;

function createFindBySession({ storesOf, unknown, clock }: Parts): FindBySession {
  let lookups = 0;
  return async (token, addressOf) => {
    const named = readSessionToken(token);
    if (named === null) throw sessionOver();
    const address = addressOf();
    const waitMs = address === null ? 0 : unknown.waitMs(address);
    if (waitMs > 0) throw tooMany("unknown sessions were sent from this address", waitMs);
    if (lookups >= MOST_LOOKUPS) throw busy();
    lookups++;
    try {
      const session = await storesOf(named.bucket).sessions.find(named.digest).catch(recordsAway);
      if (session === null) {
        if (address !== null) unknown.noteUnknown(address);
        throw sessionOver();
      }
      const { secretDigest, keyId } = session;
      const key = await (secretDigest === null
        ? clientSession(storesOf, keyId, named.bucket)
        : keyBy(storesOf, secretDigest, named.bucket));
      if (key === null || !isUsable(key, clock.nowMs())) throw sessionOver();
      return { key, session };
    } finally {
      lookups--;
    }
  };
}

function isUsable(key: Key, nowMs: number): boolean {
  try {
    requireUsable(key, nowMs, "unauthorised_only");
    return true;
  } catch {
    return false;
  }
}

function count({ reads, readsPerMinute }: Parts, { id }: Key): void {
  const waitMs = reads.waitMs(id);
  if (waitMs > 0) throw tooMany(`reads: the limit is ${readsPerMinute.toLocaleString("en-US")} per minute`, waitMs);
  reads.note(id);
}

/** Reads of one key at once are few, and of those most wait their turn, so that no key keeps the database from the others. */
function limitReadsAtOnce(): <Told>(id: string, work: () => Promise<Told>) => Promise<Told> {
  const reading = new Map<string, { all: number; waiting: (() => void)[] }>();
  return async (id, work) => {
    const own = reading.get(id) ?? { all: 0, waiting: [] };
    if (own.all >= MOST_READS_AT_ONCE) throw tooMany(`reads at once: the limit is ${MOST_READS_AT_ONCE}`, 1_000);
    reading.set(id, own);
    own.all++;
    if (own.all > MOST_READING) await new Promise<void>((resolve) => own.waiting.push(resolve));
    try {
      return await work();
    } finally {
      own.all--;
      own.waiting.shift()?.();
      if (own.all === 0) reading.delete(id);
    }
  };
}

/** Never the token that was sent, so that nobody is signed in under one that somebody else knows. */
async function open(
  storesOf: StoresOf,
  { id, bucket }: Pick<Key, "id" | "bucket">,
  secretDigest: Buffer | null,
): Promise<SessionToken> {
  const token = createSessionToken(bucket);
  const expiresAtMs = await storesOf(bucket)
    .sessions.add({ digest: sessionDigest(token), keyId: id, secretDigest, lifetimeMs: SESSION_MS })
    .catch(recordsAway);
  return { token, expiresAtMs, lifetimeMs: SESSION_MS };
}

async function signOut({ storesOf, leaveBrowser }: Parts, token: string): Promise<void> {
  const named = readSessionToken(token);
  if (named === null) return;
  const { sessions } = storesOf(named.bucket);
  const session = await sessions.find(named.digest).catch(recordsAway);
  await sessions.remove(named.digest).catch(recordsAway);
  if (session?.secretDigest === null) await leaveBrowser(session.keyId).catch(recordsAway);
}

function nothingSent(): never {
  throw new Fault(
    "invalid_credentials",
    'No session and no API key was sent. Post {"key": "…"} to /me/session, or send `Authorization: Bearer <key>`.',
  );
}

const noSession = (): Fault =>
  new Fault("invalid_credentials", "No session was sent. Sign in first, or send a key to /v1.");

const sessionOver = (): Fault =>
  new Fault("invalid_credentials", "The session is over or its key can't be used. Sign in again.");

function tooMany(what: string, waitMs: number): Fault {
  const seconds = Math.ceil(waitMs / 1000);
  return new Fault("rate_limit_exceeded", `Too many ${what}. ${tryAgainIn(seconds)}`, { retryAfterSeconds: seconds });
}

const busy = (): Fault =>
  new Fault("service_unavailable", "Too many sessions are being looked up at once. Try again in a moment.", {
    retryAfterSeconds: 1,
  });
