import type { CallSigner } from "../../core/catalogue/call-credential.ts";

/** The same signer, and each secret that it puts into the headers of a call is told once. */
export function watchSigner({ sign, renew }: CallSigner, tell: (secret: string) => void): CallSigner {
  const told = new Set<string>();
  function heed(headers: Readonly<Record<string, string>>): typeof headers {
    for (const secret of Object.entries(headers).flatMap(([name, value]) => secretsIn(name, value))) {
      if (!told.has(secret)) tell(secret);
      told.add(secret);
    }
    return headers;
  }
  return {
    renew,
    sign: (call) => {
      const made = sign(call);
      return made instanceof Promise ? made.then(heed) : heed(made);
    },
  };
}

/** When a call was signed, and the digest of what was sent, which whoever sent it knows. */
const OPEN = new Set(["x-amz-date", "x-amz-content-sha256"]);
/** Of a signature of AWS, whose key and which. The names of headers stand between them. */
const SIGNATURE = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/.*, ?Signature=(\w+)$/;

function secretsIn(name: string, value: string): string[] {
  if (OPEN.has(name)) return [];
  const [, keyId, signature] = SIGNATURE.exec(value) ?? [];
  if (keyId !== undefined && signature !== undefined) return [keyId, signature];
  return [value.replace(/^Bearer /, "")];
}
