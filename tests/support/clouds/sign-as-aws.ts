import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { createSecret } from "../../../src/core/secret/secret.ts";
import type { RequestToSign } from "../../../src/credentials/aws/sign-request.ts";

/** What AWS's own signer asks of a hash, from node's. */
class NodeSha256 {
  readonly #hash: Hash | Hmac;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as string | Buffer);
  }
  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {}
}

export const keysOf = (accessKeyId: string, secret: string): RequestToSign["keys"] => ({
  accessKeyId,
  secretAccessKey: createSecret(secret),
  sessionToken: null,
});

/** What AWS's own signer adds to a request. */
export async function signAsAws(request: RequestToSign): Promise<Record<string, string>> {
  const { keys, region, service, method, host, path, headers, body, nowMs } = request;
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey.reveal(),
      ...(keys.sessionToken && { sessionToken: keys.sessionToken.reveal() }),
    },
    region,
    service,
    sha256: NodeSha256,
  });
  const [pathname = "", search = ""] = path.split(/\?(.*)/s);
  const unsignableHeaders = new Set(
    Object.keys(headers).filter((name) => name !== "content-type" && !name.startsWith("x-amz")),
  );
  const { headers: signed } = await signer.sign(
    {
      method,
      protocol: "https:",
      hostname: host,
      path: pathname,
      query: queryOf(search),
      headers: { ...headers, host },
      body,
    },
    { signingDate: new Date(nowMs), unsignableHeaders },
  );
  return Object.fromEntries(Object.entries(signed).filter(([name]) => name !== "host" && !(name in headers)));
}

function queryOf(search: string): Record<string, string[]> {
  const query = new Map<string, string[]>();
  for (const [, key = "", value = ""] of search.matchAll(/([^&=]+)=([^&]*)/g)) {
    const name = decodeURIComponent(key);
    query.set(name, [...(query.get(name) ?? []), decodeURIComponent(value)]);
  }
  return Object.fromEntries(query);
}
