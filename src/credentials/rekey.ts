import type { CredentialVault } from "./credential-vault.ts";
import { Conflict } from "../core/conflict.ts";
import type { CredentialPlace, Rekeyed, SealedCredential } from "../core/secret/sealed-credential.ts";

type Reseal = (stored: CredentialPlace & { sealedCredential: SealedCredential }) => SealedCredential | null;

/** Where sealed credentials are kept: gives each to `reseal` and keeps what it returns, all or nothing. */
export type SealedStore = { resealCredentials: (reseal: Reseal) => Promise<void> };

/** Seals every stored credential with the newest key. Each is opened first, also those that have that key, so that it is known to work. */
export async function rekey(store: SealedStore, vault: CredentialVault): Promise<Rekeyed> {
  const { keyId } = vault;
  if (keyId === null) {
    throw new Conflict(
      "No encryption key is set. Set TOLLGATE_CREDENTIAL_KEY to the new key and TOLLGATE_CREDENTIAL_PREVIOUS_KEY to the old one.",
    );
  }
  const resealed: string[] = [];
  const current: string[] = [];
  const unopened: { provider: string; problem: string }[] = [];
  await store.resealCredentials(({ provider, baseUrl, sealedCredential }) => {
    const place = { provider, baseUrl };
    try {
      const credential = vault.open(sealedCredential, place).reveal();
      (sealedCredential.keyId === keyId ? current : resealed).push(provider);
      return sealedCredential.keyId === keyId ? null : vault.seal(credential, place);
    } catch (error) {
      unopened.push({ provider, problem: error instanceof Error ? error.message : String(error) });
      return null;
    }
  });
  return { keyId, resealed, current, unopened };
}
