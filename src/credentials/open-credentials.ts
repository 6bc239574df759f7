import { CredentialError } from "./credential-error.ts";
import { createCredentialVault, type CredentialVault } from "./credential-vault.ts";
import type { Rekeyed } from "../core/secret/sealed-credential.ts";
import type { Secret } from "../core/secret/secret.ts";
import { type CredentialHolder, type CredentialSources, createFindCredential } from "./find-credential.ts";
import { rekey, type SealedStore } from "./rekey.ts";

/** Providers' credentials, in the process that has the keys to them. What is missing for one is told in a `CredentialError`. */
export type Credentials = {
  /** The credential itself; null when the provider wants none. */
  credential: (holder: CredentialHolder) => string | null;
  /** Why it cannot be had, in words without it; null when it can. */
  problem: (holder: CredentialHolder) => string | null;
  seal: CredentialVault["seal"];
  open: CredentialVault["open"];
  /** Seals every stored credential with the newest key. */
  rekey: (store: SealedStore) => Promise<Rekeyed>;
};

type Settings = { key: Secret | null; previousKey: Secret | null; directories: string; allowedReferences: string };

/** Where providers' credentials are found: the environment, files, and rows that the settings' keys open. */
export function openCredentials(
  { directories, allowedReferences, ...keys }: Settings,
  sources: CredentialSources,
): Credentials {
  const vault = createCredentialVault(keys);
  const find = createFindCredential({
    sources,
    vault,
    directories: directories.split(",").filter((directory) => directory !== ""),
    allowed: allowedReferences === "" ? null : allowedReferences.split(/, */),
  });
  const credential = (holder: CredentialHolder): string | null => find(holder)?.reveal() ?? null;
  return {
    credential,
    problem: (holder) => {
      try {
        credential(holder);
        return null;
      } catch (error) {
        return error instanceof CredentialError ? error.message : "it cannot be read.";
      }
    },
    seal: vault.seal,
    open: vault.open,
    rekey: (store) => rekey(store, vault),
  };
}
