import { CredentialError } from "./credential-error.ts";
import type { CallCredential } from "../core/catalogue/call-credential.ts";
import { systemClock } from "../core/clock.ts";
import type { AmbientSources } from "./ambient/ambient.ts";
import { askCloud } from "./ambient/ask-cloud.ts";
import { createAmbientCredentials } from "./ambient/ambient-credentials.ts";
import { createCredentialVault, type CredentialVault } from "./credential-vault.ts";
import type { Rekeyed } from "../core/secret/sealed-credential.ts";
import type { Secret } from "../core/secret/secret.ts";
import { type CredentialHolder, type CredentialSources, createFindCredential } from "./find-credential.ts";
import { rekey, type SealedStore } from "./rekey.ts";

/** Providers' credentials, in the process that has the keys to them. What is missing for one is told in a `CredentialError`. */
export type Credentials = {
  /** The credential itself, or what signs calls with an identity that this process has in a cloud; null when the provider wants none. */
  credential: (holder: CredentialHolder) => CallCredential;
  /** Why it cannot be had, in words without it; null when it can. */
  problem: (holder: CredentialHolder) => string | null;
  /** Asks clouds for what is not at hand; `heed` is called whenever a problem of theirs is known or gone. */
  watch: (heed: () => void) => (holders: Iterable<CredentialHolder>) => void;
  seal: CredentialVault["seal"];
  open: CredentialVault["open"];
  /** Seals every stored credential with the newest key. */
  rekey: (store: SealedStore) => Promise<Rekeyed>;
};

type Settings = { key: Secret | null; previousKey: Secret | null; directories: string; allowedReferences: string };

/** Where providers' credentials are found: the environment, files, and rows that the settings' keys open. */
export function openCredentials(
  { directories, allowedReferences, ...keys }: Settings,
  { ambient, ...sources }: CredentialSources & { ambient: Omit<AmbientSources, "ask"> },
): Credentials {
  const vault = createCredentialVault(keys);
  const allowed = allowedReferences === "" ? null : allowedReferences.split(/, */);
  const find = createFindCredential({
    sources,
    vault,
    directories: directories.split(",").filter((directory) => directory !== ""),
    allowed,
  });
  let heed = (): void => undefined;
  const { signer, problem, warm } = createAmbientCredentials({
    sources: { ...ambient, ask: askCloud },
    allowed,
    clock: systemClock,
    random: Math.random,
    onChange: () => heed(),
  });
  const credential = (holder: CredentialHolder): CallCredential => signer(holder) ?? find(holder)?.reveal() ?? null;
  return {
    credential,
    problem: (holder) => {
      try {
        credential(holder);
        return problem(holder);
      } catch (error) {
        return error instanceof CredentialError ? error.message : "it cannot be read.";
      }
    },
    watch: (told) => {
      heed = told;
      return (holders) => {
        for (const holder of holders) warm(holder);
      };
    },
    seal: vault.seal,
    open: vault.open,
    rekey: (store) => rekey(store, vault),
  };
}
