import type { CallSigner } from "../../core/catalogue/call-credential.ts";
import { CLOUD_REFERENCE } from "../../core/catalogue/cloud-reference.ts";
import type { Clock } from "../../core/clock.ts";
import type { Secret } from "../../core/secret/secret.ts";
import type { AwsKeys } from "../aws/aws-keys.ts";
import { issueAwsKeys } from "../aws/issue-aws-keys.ts";
import { type AwsScope, scopeOf, signRequest } from "../aws/sign-request.ts";
import { CredentialError } from "../credential-error.ts";
import { entraScopeOf } from "../entra/entra-scope-of.ts";
import { issueEntraToken } from "../entra/issue-entra-token.ts";
import { issueGoogleToken } from "../google/issue-google-token.ts";
import { isVertexHost } from "../google/is-vertex-host.ts";
import type { AmbientSources, Issue } from "./ambient.ts";
import { keepIssued, type KeptCredential } from "./keep-issued.ts";

type Holder = { baseUrl: string; credentialRef: string };

export type AmbientCredentials = {
  /** What signs the calls to a provider with the identity of this process in a cloud; null: its reference names none. */
  signer: (holder: Holder) => CallSigner | null;
  /** Why calls cannot be signed, as far as is known without asking; null: nothing is known against it. */
  problem: (holder: Holder) => string | null;
  /** Asks for the credential if none is at hand, so that the first call need not wait, and a failure is known before it. */
  warm: (holder: Holder) => void;
};

type Parts = {
  sources: AmbientSources;
  /** References with the origin that each may be sent to, as `aws=https://host`; null: each to the hosts of its cloud. */
  allowed: readonly string[] | null;
  clock: Clock;
  random: () => number;
  /** A problem is known now, or is none any more. */
  onChange: () => void;
};

const REFERENCE = new RegExp(`^(?:${CLOUD_REFERENCE})$`);
const HOSTS = {
  aws: "Bedrock's own hosts, such as bedrock-runtime.eu-central-1.amazonaws.com",
  google: "Vertex AI's own hosts, such as europe-west4-aiplatform.googleapis.com",
  entra: "hosts of one Azure resource, such as my-resource.openai.azure.com",
};
const AZURE_OPENAI = "https://cognitiveservices.azure.com/.default";

/** Where an identity is sent: nowhere but to its cloud, or where the settings say; whoever may add providers could collect it otherwise. */
export function createAmbientCredentials({ sources, allowed, clock, random, onChange }: Parts): AmbientCredentials {
  const kept = new Map<string, KeptCredential<unknown>>();

  function keptAs<Value>(name: string, issue: () => Issue<Value>): KeptCredential<Value> {
    const known = kept.get(name) ?? keepIssued<unknown>({ issue: issue(), clock, random, onChange });
    kept.set(name, known);
    return known as KeptCredential<Value>;
  }

  /** Throws a `CredentialError` where it may not be sent. */
  function identityOf({
    baseUrl,
    credentialRef,
  }: Holder): { kept: KeptCredential<unknown>; signer: CallSigner } | null {
    if (!REFERENCE.test(credentialRef)) return null;
    const [, cloud = "", role] = /^(\w+)(?::(.+))?$/.exec(credentialRef) ?? [];
    const { hostname } = new URL(baseUrl);
    const mayGo = (isOwnHost: boolean): void =>
      requireDestination({ baseUrl, credentialRef }, { allowed, isOwnHost, hosts: HOSTS[cloud as keyof typeof HOSTS] });
    if (cloud === "aws") {
      const scope = scopeOf(hostname);
      mayGo(scope !== null);
      const keys = keptAs(credentialRef, () => issueAwsKeys(sources, role === undefined ? undefined : { arn: role }));
      return { kept: keys, signer: awsSigner(keys, scope ?? ownScope(), clock) };
    }
    if (cloud === "google") {
      mayGo(isVertexHost(hostname));
      const token = keptAs("google", () => issueGoogleToken(sources));
      return { kept: token, signer: bearerSigner(token) };
    }
    const scope = entraScopeOf(hostname);
    mayGo(scope !== null);
    const token = keptAs(`entra ${scope ?? AZURE_OPENAI}`, () => issueEntraToken(sources, scope ?? AZURE_OPENAI));
    return { kept: token, signer: bearerSigner(token) };
  }

  /** At an address of the operator's own, which says neither. */
  const ownScope = (): AwsScope => {
    const region = sources.variable("AWS_REGION") ?? sources.variable("AWS_DEFAULT_REGION");
    if (region) return { service: "bedrock", region };
    throw new CredentialError("aws: the address names no region. Set the variable AWS_REGION.");
  };

  return {
    signer: (holder) => identityOf(holder)?.signer ?? null,
    problem: (holder) => {
      try {
        const problem = identityOf(holder)?.kept.problem() ?? null;
        return problem === null ? null : `${holder.credentialRef}: ${problem}`;
      } catch (error) {
        if (error instanceof CredentialError) return error.message;
        throw error;
      }
    },
    warm: (holder) => {
      const asked = (async () => identityOf(holder)?.kept.current())();
      // What went wrong is told by `problem`.
      asked.catch(() => undefined);
    },
  };
}

type Destinations = Pick<Parts, "allowed"> & { isOwnHost: boolean; hosts: string };

function requireDestination({ baseUrl, credentialRef }: Holder, { allowed, isOwnHost, hosts }: Destinations): void {
  const { hostname, origin } = new URL(baseUrl);
  const pair = `${credentialRef}=${origin}`;
  if (allowed !== null) {
    if (allowed.includes(pair)) return;
    throw new CredentialError(
      `${credentialRef} may not be sent to this address. Add ${pair} to the setting credential.allowed_references.`,
    );
  }
  if (isOwnHost && origin === `https://${hostname}`) return;
  throw new CredentialError(
    `${credentialRef} is sent only to ${hosts}, with https and the usual port. For another address, list it with all other references in the setting credential.allowed_references: ${pair}.`,
  );
}

function awsSigner(kept: KeptCredential<AwsKeys>, scope: AwsScope, clock: Clock): CallSigner {
  return {
    sign: (call) => withCurrent(kept, (keys) => signRequest({ ...call, ...scope, keys, nowMs: clock.nowMs() })),
    renew: kept.renew,
  };
}

const bearerSigner = (kept: KeptCredential<Secret>): CallSigner => ({
  sign: () => withCurrent(kept, (token) => ({ authorization: `Bearer ${token.reveal()}` })),
  renew: kept.renew,
});

/** At once where a credential is at hand. */
function withCurrent<Value, Made>(kept: KeptCredential<Value>, make: (value: Value) => Made): Made | Promise<Made> {
  const current = kept.current();
  return current instanceof Promise ? current.then(make) : make(current);
}
