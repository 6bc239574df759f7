import { createCredentialVault, type CredentialVault } from "../credentials/credential-vault.ts";
import type { Config } from "../config/load-config.ts";
import { credentialSources } from "../config/credential-sources.ts";
import { processEnvironment } from "../config/process-environment.ts";
import { type CredentialHolder, createFindCredential } from "../credentials/find-credential.ts";

export type OpenCredentials = {
  vault: CredentialVault;
  credential: (holder: CredentialHolder) => string | null;
};

/** Where providers' credentials are found: the environment, files, and rows that the settings' keys open. */
export function openCredentials({ directories, ...keys }: Config["credential"]): OpenCredentials {
  const vault = createCredentialVault(keys);
  const find = createFindCredential({
    sources: credentialSources(processEnvironment()),
    vault,
    directories: directories.split(",").filter((directory) => directory !== ""),
  });
  return { vault, credential: (holder) => find(holder)?.reveal() ?? null };
}
