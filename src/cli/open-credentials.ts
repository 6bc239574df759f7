import { createCredentialVault, type CredentialVault } from "../config/credential-vault.ts";
import type { Config } from "../config/load-config.ts";
import { processEnvironment } from "../config/process-environment.ts";
import { readTextFile } from "../config/read-text-file.ts";
import { type CredentialHolder, createCredentials } from "../config/secrets.ts";

export type OpenCredentials = {
  vault: CredentialVault;
  credential: (holder: CredentialHolder) => string | null;
};

/** Where providers' credentials are found: the environment, files, and rows that the settings' keys open. */
export function openCredentials({ directories, ...keys }: Config["credential"]): OpenCredentials {
  const vault = createCredentialVault(keys);
  const credentials = createCredentials({
    environment: processEnvironment(),
    readFile: readTextFile,
    vault,
    directories: directories.split(",").filter((directory) => directory !== ""),
  });
  return { vault, credential: (holder) => credentials(holder)?.reveal() ?? null };
}
