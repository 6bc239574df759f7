import type { Secret } from "../../core/secret/secret.ts";
import { AmbientError, type AmbientSources, type Issue, type Issued } from "../ambient/ambient.ts";
import { objectIn } from "../ambient/ask-for-json.ts";
import { nameOfFile, readNamedFile } from "../ambient/read-named-file.ts";
import { askAsServiceAccount } from "./ask-as-service-account.ts";
import { askMetadataServer, metadataHost } from "./ask-metadata-server.ts";
import { askWithFederation } from "./ask-with-federation.ts";
import type { CredentialFile } from "./credential-file.ts";

type Ask = (sources: AmbientSources, file: CredentialFile, signal: AbortSignal) => Promise<Issued<Secret>>;

const VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
const TYPES: Record<string, Ask> = { service_account: askAsServiceAccount, external_account: askWithFederation };
/** The others that Google has: of these the name is told, and of anything else nothing. */
const OTHER_TYPES =
  /^(?:authorized_user|impersonated_service_account|external_account_authorized_user|gdch_service_account)$/;
const UNIVERSE = "googleapis.com";

/** Issues tokens for Google Cloud: with the file that GOOGLE_APPLICATION_CREDENTIALS names, else from the metadata server. */
export function issueGoogleToken(sources: AmbientSources): Issue<Secret> {
  return async (signal) => {
    const path = sources.variable(VARIABLE);
    if (!path) return askMetadataServer(sources, signal);
    const members = objectIn(await readNamedFile(sources, VARIABLE, path));
    const name = `the file of ${VARIABLE}`;
    const type = members?.["type"];
    const ask = typeof type === "string" && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
    if (members === null || ask === undefined) throw new AmbientError(unusable(path, type));
    if ((members["universe_domain"] ?? UNIVERSE) !== UNIVERSE)
      throw new AmbientError(`universe_domain of ${name} must be ${UNIVERSE}.`);
    return ask(sources, { name, members }, signal);
  };
}

function unusable(path: string, type: unknown): string {
  const kind = typeof type === "string" && OTHER_TYPES.test(type) ? `a credential of type ${type}` : "something else";
  return `${VARIABLE} names ${path}, which holds ${kind}. Use a file of type service_account or external_account.`;
}

/** Which source is used, for people. */
export function describeGoogleSource(sources: Pick<AmbientSources, "variable">): string {
  const path = sources.variable(VARIABLE);
  return path ? nameOfFile(VARIABLE, path) : `metadata server (${metadataHost(sources)})`;
}
