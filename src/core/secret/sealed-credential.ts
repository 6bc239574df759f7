/** A provider's credential as the database keeps it: unreadable without the key, which is kept elsewhere. */
export type SealedCredential = {
  /** Which key it was sealed with; says nothing else about that key. */
  keyId: string;
  /** Nonce, tag and ciphertext, in base64. */
  box: string;
};

/** Whose credential it is, and where it may be sent. Both are sealed in with it. */
export type CredentialPlace = { provider: string; baseUrl: string };

/** What became of the stored credentials when they were to have the newest key. */
export type Rekeyed = {
  keyId: string;
  /** Providers whose credential has the newest key now. */
  resealed: readonly string[];
  /** Those that had it already. */
  current: readonly string[];
  /** Those that no key at hand opens. They stay as they were: another key may open them yet. */
  unopened: readonly { provider: string; problem: string }[];
};

const SHOWN_CHARACTERS = 4;

/** As much of a key's id as a person needs to tell it from another. */
export const shortKeyId = (keyId: string): string => `${keyId.slice(0, SHOWN_CHARACTERS)}…`;
