import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { type CredentialPlace, type SealedCredential, shortKeyId } from "../core/secret/sealed-credential.ts";
import { CredentialError } from "./credential-error.ts";
import { createSecret, type Secret } from "../core/secret/secret.ts";

/** Seals what is written with the newest key, and opens what either key has sealed: so keys change without a gap. */
export type CredentialVault = {
  /** The key that seals; null when there is none, so that nothing can be sealed. */
  keyId: string | null;
  seal: (credential: string, place: CredentialPlace) => SealedCredential;
  /** Throws a `CredentialError` that names the key or the place that does not fit. */
  open: (sealed: SealedCredential, place: CredentialPlace) => Secret;
};

type Keys = { key: Secret | null; previousKey: Secret | null };
type Lock = { id: string; bytes: Buffer };

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = "tollgate provider credential 1";
const KEY_ID_CHARACTERS = 16;

export function createCredentialVault({ key, previousKey }: Keys): CredentialVault {
  const [current = null, ...older] = [key, previousKey].map(lockOf);
  const locks = [current, ...older].filter((lock) => lock !== null);
  return {
    keyId: current?.id ?? null,
    seal: (credential, place) => {
      if (current === null) throw new CredentialError(`there is no key to seal it with. ${HOW_TO_MAKE_ONE}`);
      return sealWith(current, credential, place);
    },
    open: (sealed, place) => {
      const lock = locks.find(({ id }) => id === sealed.keyId);
      if (lock === undefined) throw new CredentialError(noKey(sealed, place, locks));
      const opened = openWith(lock, sealed, place);
      if (opened === null) throw new CredentialError(doesNotOpen(place));
      return createSecret(opened);
    },
  };
}

/** The id is a digest under a name of its own, so that it is no digest anybody else would make of the key. */
function lockOf(key: Secret | null): Lock | null {
  if (key === null) return null;
  const bytes = Buffer.from(key.reveal(), "base64");
  const named = Buffer.concat([Buffer.from(`${PURPOSE} key\0`), bytes]);
  return { id: hash("sha256", named).slice(0, KEY_ID_CHARACTERS), bytes };
}

function sealWith(lock: Lock, credential: string, place: CredentialPlace): SealedCredential {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", lock.bytes, nonce);
  cipher.setAAD(inscription(place));
  const sealed = Buffer.concat([cipher.update(credential, "utf8"), cipher.final()]);
  return { keyId: lock.id, box: Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64") };
}

function openWith(lock: Lock, { box }: SealedCredential, place: CredentialPlace): string | null {
  const bytes = Buffer.from(box, "base64");
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", lock.bytes, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(inscription(place));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

/**
 * What a box is authenticated with: whoever can write to the database but has no key cannot make one provider's credential
 * another's, nor have it sent to a host of their own. The path may change; it is the host that is trusted with the credential.
 */
const inscription = ({ provider, baseUrl }: CredentialPlace): Buffer =>
  Buffer.from(JSON.stringify([PURPOSE, provider, new URL(baseUrl).origin]));

const HOW_TO_MAKE_ONE =
  "Make one with `openssl rand -base64 32` and give it to every gateway and command as TOLLGATE_CREDENTIAL_KEY, or in a file that TOLLGATE_CREDENTIAL_KEY_FILE names.";

const storeAgain = (provider: string): string =>
  `store the credential again with \`tollgate providers add ${provider} --url URL --credential-stdin --replace\``;

function noKey(sealed: SealedCredential, { provider }: CredentialPlace, locks: readonly Lock[]): string {
  const held = locks.map(({ id }) => shortKeyId(id)).join(" and ") || "none";
  return `the credential of ${provider} was stored with the key ${shortKeyId(sealed.keyId)}, and the keys given are: ${held}. Give that key as TOLLGATE_CREDENTIAL_KEY, or as TOLLGATE_CREDENTIAL_PREVIOUS_KEY beside a newer one, or ${storeAgain(provider)}.`;
}

const doesNotOpen = ({ provider, baseUrl }: CredentialPlace): string =>
  `the stored credential of ${provider} does not open for ${new URL(baseUrl).origin}: it was stored for another provider or another address, or was tampered with. To use it there, ${storeAgain(provider)}.`;
