import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Asked, LoopbackCloud, Told } from "./loopback-cloud.ts";
import { answerToDiscovery } from "./official-libraries.ts";
import * as entra from "./strict-entra.ts";
import * as google from "./strict-google.ts";

/** A way to be given a credential, with a server that takes it. */
type CloudCase = {
  title: string;
  variables: (cloud: LoopbackCloud) => Record<string, string>;
  answer: (asked: Asked) => Told;
};

/** Every source of both clouds, with files as a process finds them. */
export function writeCloudCases(): { google: CloudCase[]; entra: CloudCase[]; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "clouds-"));
  const write = (name: string, content: string | object): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  return { google: googleCases(write), entra: entraCases(write), remove: () => rmSync(folder, { recursive: true }) };
}

type Write = (name: string, content: string | object) => string;

function googleCases(write: Write): CloudCase[] {
  const token = write("subject-token", google.SUBJECT_TOKEN);
  const nested = write("subject-token.json", { nested: google.SUBJECT_TOKEN });
  const format = { type: "json", subject_token_field_name: "nested" };
  const url = { url: "http://idp.example/token?a=b", headers: { Metadata: "True" }, format };
  const impersonated = { service_account_impersonation_url: google.IMPERSONATION };
  const shorter = { ...impersonated, service_account_impersonation: { token_lifetime_seconds: 2800 } };
  const federated = (source: object, more = {}): object => ({
    ...google.FEDERATION_FILE,
    credential_source: source,
    ...more,
  });
  const files: [string, object][] = [
    ["a service account", google.KEY_FILE],
    ["a file", federated({ file: token })],
    ["a file of JSON", federated({ file: nested, format })],
    ["an address", federated(url)],
    ["impersonation", federated({ file: token }, impersonated)],
    ["impersonation for less than an hour", federated({ file: token }, shorter)],
  ];
  const answer = google.answerAsGoogle();
  return [
    ...files.map(([title, file], index): CloudCase => {
      const path = write(`credentials-${index}.json`, file);
      return { title, variables: () => ({ GOOGLE_APPLICATION_CREDENTIALS: path }), answer };
    }),
    {
      title: "the metadata server",
      variables: ({ origin }) => ({ GCE_METADATA_HOST: new URL(origin).host }),
      answer,
    },
  ];
}

function entraCases(write: Write): CloudCase[] {
  const made = entra.makeCertificate();
  const client = { AZURE_TENANT_ID: entra.TENANT, AZURE_CLIENT_ID: entra.CLIENT };
  const secret = { ...client, AZURE_CLIENT_SECRET: entra.CLIENT_SECRET };
  const certificate = { ...client, AZURE_CLIENT_CERTIFICATE_PATH: write("client.pem", made.pem) };
  const chain = { ...certificate, AZURE_CLIENT_SEND_CERTIFICATE_CHAIN: "true" };
  const workload = { ...client, AZURE_FEDERATED_TOKEN_FILE: write("pod-token", entra.POD_TOKEN) };
  const app = { IDENTITY_ENDPOINT: entra.APP_SERVICE, IDENTITY_HEADER: entra.IDENTITY_HEADER };
  const several = { AZURE_CLIENT_ID: entra.CLIENT };
  const of = (title: string, variables: Record<string, string>, registered?: string): CloudCase => {
    const answer = entra.answerAsEntra(registered === undefined ? {} : { certificate: registered });
    return { title, variables: () => variables, answer: (asked) => answerToDiscovery(asked) ?? answer(asked) };
  };
  return [
    of("a client secret", secret),
    of("a certificate", certificate, made.certificate),
    of("a certificate with its chain", chain, made.certificate),
    of("a workload identity", workload),
    of("an app", app),
    of("an app with several identities", { ...app, ...several }),
    of("a machine", {}),
    of("a machine with several identities", several),
    of("a secret before all others", { ...app, ...workload, ...certificate, ...secret }),
    of("a certificate before the rest", { ...app, ...workload, ...certificate }, made.certificate),
    of("a workload identity before that of an app", { ...app, ...workload }),
  ];
}
