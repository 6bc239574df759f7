import type { Secret } from "../../core/secret/secret.ts";
import type { AmbientSources, Issue, Issued } from "../ambient/ambient.ts";
import { nameOfFile } from "../ambient/read-named-file.ts";
import { askEntra, entraClient } from "./ask-entra.ts";
import { askManagedIdentity, INSTANCE_METADATA } from "./ask-managed-identity.ts";
import { certificateProof, federatedProof } from "./client-proof.ts";

type Ask = (sources: AmbientSources, scope: string, signal: AbortSignal) => Promise<Issued<Secret>>;
type Source = { variable: string; describe: (value: string) => string; ask: (value: string) => Ask };

const SECRET = "AZURE_CLIENT_SECRET";
const CERTIFICATE = "AZURE_CLIENT_CERTIFICATE_PATH";
const FEDERATED = "AZURE_FEDERATED_TOKEN_FILE";

/** In the order of Microsoft's own libraries; without any, the managed identity of the machine. */
const SOURCES: readonly Source[] = [
  {
    variable: SECRET,
    describe: () => `client secret (${SECRET})`,
    ask: (secret) => (sources, scope, signal) => {
      const client = entraClient(sources, SECRET);
      return askEntra(sources, { ...client, scope, proof: { client_secret: secret }, source: SECRET }, signal);
    },
  },
  {
    variable: CERTIFICATE,
    describe: (path) => `client certificate, ${nameOfFile(CERTIFICATE, path)}`,
    ask: (path) => async (sources, scope, signal) => {
      const client = entraClient(sources, CERTIFICATE);
      const certificate = { name: CERTIFICATE, path, clientId: client.clientId, audience: client.endpoint };
      const proof = await certificateProof(sources, certificate);
      return askEntra(sources, { ...client, scope, proof, source: CERTIFICATE }, signal);
    },
  },
  {
    variable: FEDERATED,
    describe: (path) => `workload identity, ${nameOfFile(FEDERATED, path)}`,
    ask: (path) => async (sources, scope, signal) => {
      const client = entraClient(sources, FEDERATED);
      const proof = await federatedProof(sources, FEDERATED, path);
      return askEntra(sources, { ...client, scope, proof, source: FEDERATED }, signal);
    },
  },
  {
    variable: "IDENTITY_ENDPOINT",
    describe: () => "managed identity (IDENTITY_ENDPOINT)",
    ask: () => askManagedIdentity,
  },
];

const MACHINE = { describe: `managed identity (${INSTANCE_METADATA})`, ask: askManagedIdentity };

/** Issues tokens of Entra for a scope, from the first source that is configured. That one's failure is the failure. */
export function issueEntraToken(sources: AmbientSources, scope: string): Issue<Secret> {
  return async (signal) => chosen(sources).ask(sources, scope, signal);
}

/** Which source is used, for people. */
export const describeEntraSource = (sources: Pick<AmbientSources, "variable">): string => chosen(sources).describe;

function chosen({ variable }: Pick<AmbientSources, "variable">): { describe: string; ask: Ask } {
  for (const source of SOURCES) {
    const value = variable(source.variable);
    if (value) return { describe: source.describe(value), ask: source.ask(value) };
  }
  return MACHINE;
}
