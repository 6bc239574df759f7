import { credentialSources } from "../../config/read/credential-sources.ts";
import type { Config } from "../../config/load-config.ts";
import type { Environment } from "../../config/read/variable-names.ts";
import { type Credentials, openCredentials } from "../../credentials/open-credentials.ts";

/** Providers' credentials as a process finds them: by its settings, in its environment, in files and in the database. */
export const openProviderCredentials = (settings: Config["credential"], environment: Environment): Credentials =>
  openCredentials(settings, credentialSources(environment));
