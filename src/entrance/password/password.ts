import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** Memory in KiB and passes. [OWASP: 19 MiB, two passes, one lane] */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const derive = promisify(argon2);

export type PasswordStore = {
  /** False: they were removed, or `sessionId`, the session in which they set their own, has ended. */
  set: (personId: string, hash: string, sessionId: string | null) => Promise<boolean>;
  /** Null: nobody has this email. The hash is null for those who have no password. */
  byEmail: (email: string) => Promise<{ personId: string; hash: string | null } | null>;
};

/** `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, as other programs write it, too. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { memory, passes, parallelism } = COST;
  const tag = await derive("argon2id", {
    message: password.normalize("NFKC"),
    nonce: salt,
    tagLength: HASH_BYTES,
    memory,
    passes,
    parallelism,
  });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

const SHAPE = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;
const NOBODYS_SALT = Buffer.alloc(SALT_BYTES);

/** With null, for somebody who is unknown or has no password, the same work is done, and the answer is no. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = SHAPE.exec(stored ?? "") ?? [];
  const expected = tag === undefined ? Buffer.alloc(HASH_BYTES) : Buffer.from(tag, "base64");
  const found = await derive("argon2id", {
    message: password.normalize("NFKC"),
    nonce: salt === undefined ? NOBODYS_SALT : Buffer.from(salt, "base64"),
    tagLength: expected.length,
    memory: Number(memory ?? COST.memory),
    passes: Number(passes ?? COST.passes),
    parallelism: Number(parallelism ?? COST.parallelism),
  });
  return timingSafeEqual(found, expected) && tag !== undefined;
}

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");
