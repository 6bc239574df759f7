import { hash, randomUUID, X509Certificate } from "node:crypto";
import { AmbientError, type AmbientSources } from "../ambient/ambient.ts";
import { isToken } from "../ambient/issued-token.ts";
import { readNamedFile } from "../ambient/read-named-file.ts";
import { rsaKeyIn, signJwt } from "../ambient/sign-jwt.ts";

/** What proves to Entra which client asks: the members of a form. */
export type ClientProof = Readonly<Record<string, string>>;

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const LIFETIME_S = 600;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^]+?-----END \1PRIVATE KEY-----/;

const assertionProof = (assertion: string): ClientProof => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: assertion,
});

/** The token that the platform, such as Kubernetes, gave this workload. */
export async function federatedProof(sources: AmbientSources, name: string, path: string): Promise<ClientProof> {
  const token = await readNamedFile(sources, name, path);
  if (!isToken(token)) throw new AmbientError(`${name} names ${path}, which holds no token.`);
  return assertionProof(token);
}

type Certificate = { name: string; path: string; clientId: string; audience: string };

/** An assertion signed with the key of a certificate that the application has registered. */
export async function certificateProof(
  sources: AmbientSources,
  { name, path, clientId, audience }: Certificate,
): Promise<ClientProof> {
  const pem = await readNamedFile(sources, name, path);
  const password = sources.variable("AZURE_CLIENT_CERTIFICATE_PASSWORD");
  const key = rsaKeyIn(PRIVATE_KEY.exec(pem)?.[0] ?? "", password);
  if (key === null)
    throw new AmbientError(
      `${name} names ${path}, which holds no RSA key in PEM that opens. If it has a password, set AZURE_CLIENT_CERTIFICATE_PASSWORD.`,
    );
  const chain = certificatesIn(pem);
  const leaf = chain.find((certificate) => certificate.checkPrivateKey(key));
  if (leaf === undefined)
    throw new AmbientError(`${name} names ${path}, which holds no certificate in PEM that belongs to its key.`);
  const nbf = Math.floor(sources.nowMs() / 1000);
  const withChain = /^(?:true|1)$/i.test(sources.variable("AZURE_CLIENT_SEND_CERTIFICATE_CHAIN") ?? "");
  const assertion = signJwt({
    header: {
      alg: "PS256",
      typ: "JWT",
      "x5t#S256": hash("sha256", leaf.raw, "base64url"),
      ...(withChain ? { x5c: chain.map(({ raw }) => raw.toString("base64")) } : {}),
    },
    claims: { aud: audience, iss: clientId, sub: clientId, jti: randomUUID(), nbf, exp: nbf + LIFETIME_S },
    key,
  });
  return assertionProof(assertion);
}

function certificatesIn(pem: string): X509Certificate[] {
  try {
    return [...pem.matchAll(CERTIFICATE)].map(([text]) => new X509Certificate(text));
  } catch {
    return [];
  }
}
