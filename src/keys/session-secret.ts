import { hash, hkdfSync, randomBytes } from "node:crypto";
import {
  CHECKSUM_CHARACTERS,
  charactersFrom,
  checksumOf,
  hasChecksum,
  randomCharacters,
} from "../core/secret/checked-secret.ts";

/** What all tokens of a session have in common: 143 bits, of which a prefix shows 30. It seals what is kept for the session. */
const FAMILY_CHARACTERS = 24;
/** What each token has for itself: 190 bits. */
const OWN_CHARACTERS = 32;
const PREFIX_CHARACTERS = 12;
const SALT_BYTES = 32;
/** Far more than enough: one in 32 is thrown away. */
const DERIVED_BYTES = 96;

const BODY = `([0-9a-f]{3})([0-9A-Za-z]{${FAMILY_CHARACTERS}})[0-9A-Za-z]{${OWN_CHARACTERS + CHECKSUM_CHARACTERS}}`;
const ACCESS = new RegExp(`^tga_${BODY}$`);
const REFRESH = new RegExp(`^tgr_${BODY}$`);

/** The two tokens of a session at a time. Both name the bucket of its account; neither is stored. */
export type TokenPair = { accessToken: string; refreshToken: string; family: string };

/** What a token says of its session. */
export type TokenFamily = { bucket: number; family: string };

export function createTokenPair(bucket: number): TokenPair {
  const of = { bucket, family: randomCharacters(FAMILY_CHARACTERS) };
  return pairOf(of, { access: randomCharacters(OWN_CHARACTERS), refresh: randomCharacters(OWN_CHARACTERS) });
}

export const createSalt = (): Buffer => randomBytes(SALT_BYTES);

/**
 * The tokens that follow a refresh token. The same token and salt give the same ones, so that a client whose answer was lost gets it
 * again. The salt alone, which is stored, tells nothing of them, and neither does the token alone.
 */
export function nextTokenPair(refreshToken: string, of: TokenFamily, salt: Buffer): TokenPair {
  const derived = (what: string): string => {
    const bytes = hkdfSync("sha256", refreshToken, salt, `the ${what} token that follows`, DERIVED_BYTES);
    return charactersFrom(Buffer.from(bytes), OWN_CHARACTERS);
  };
  return pairOf(of, { access: derived("access"), refresh: derived("refresh") });
}

/** Whether a text is meant as a token of a session, whether or not it is one. */
export const isSessionSecret = (secret: string): boolean => secret.startsWith("tga_") || secret.startsWith("tgr_");

export const readAccessToken = (token: string): TokenFamily | null => read(ACCESS, token);

export const readRefreshToken = (token: string): TokenFamily | null => read(REFRESH, token);

/** Twelve characters, the same for all access tokens of a session; not secret. */
export const prefixOf = (accessToken: string): string => accessToken.slice(0, PREFIX_CHARACTERS);

export const tokenDigest = (token: string): Buffer => hash("sha256", token, "buffer");

/**
 * What seals what is kept for whoever presents a secret. Of a session it is what its tokens have in common: thinking in transit and stored
 * answers outlive an hour.
 */
export function sealingSecret(secret: string): string {
  const session = secret.startsWith("tga_") ? ACCESS.exec(secret) : null;
  return session === null ? secret : `tga_${session[2] ?? ""}`;
}

const pairOf = (of: TokenFamily, own: { access: string; refresh: string }): TokenPair => ({
  accessToken: tokenOf("tga_", of, own.access),
  refreshToken: tokenOf("tgr_", of, own.refresh),
  family: of.family,
});

function tokenOf(mark: string, { bucket, family }: TokenFamily, own: string): string {
  const body = `${mark}${bucket.toString(16).padStart(3, "0")}${family}${own}`;
  return body + checksumOf(body);
}

function read(shape: RegExp, token: string): TokenFamily | null {
  const [, bucket, family] = shape.exec(token) ?? [];
  if (bucket === undefined || family === undefined || !hasChecksum(token)) return null;
  return { bucket: Number.parseInt(bucket, 16), family };
}
