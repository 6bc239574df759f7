import { constants, createPrivateKey, type KeyObject, sign } from "node:crypto";

type Jwt = {
  header: Readonly<Record<string, unknown>> & { alg: "RS256" | "PS256" };
  claims: Readonly<Record<string, unknown>>;
  key: KeyObject;
};

export function signJwt({ header, claims, key }: Jwt): string {
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const padding =
    header.alg === "PS256"
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { padding: constants.RSA_PKCS1_PADDING };
  return `${signed}.${sign("sha256", Buffer.from(signed), { key, ...padding }).toString("base64url")}`;
}

/** Null for what is no RSA key, or does not open with this passphrase. OpenSSL's own words may repeat what it read. */
export function rsaKeyIn(pem: string, passphrase?: string): KeyObject | null {
  try {
    const key = createPrivateKey({ key: pem, format: "pem", ...(passphrase === undefined ? {} : { passphrase }) });
    return key.asymmetricKeyType === "rsa" ? key : null;
  } catch {
    return null;
  }
}
