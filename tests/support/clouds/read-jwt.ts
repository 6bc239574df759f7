import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";

type Json = Record<string, unknown>;

/** The header and claims of a JWT, if this key has signed it as its header says. */
export function readJwt(jwt: string, key: KeyObject): { header: Json; claims: Json } | null {
  const [head = "", body = "", signature = "", ...more] = jwt.split(".");
  if (more.length > 0 || /[^\w-]/.test(head + body + signature)) return null;
  const [header, claims] = [head, body].map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Json);
  const padding =
    header?.["alg"] === "PS256"
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { padding: constants.RSA_PKCS1_PADDING };
  const publicKey = key.type === "public" ? key : createPublicKey(key);
  const signed = verify(
    "sha256",
    Buffer.from(`${head}.${body}`),
    { key: publicKey, ...padding },
    Buffer.from(signature, "base64url"),
  );
  return signed && header && claims ? { header, claims } : null;
}
