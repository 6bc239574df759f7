import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type CertificateFiles = { cert: string; key: string };
export type Authority = { file: string; sign: (name: string, days: number) => CertificateFiles };

const openssl = (...words: string[]): void =>
  void execFileSync("openssl", words, { stdio: ["ignore", "ignore", "pipe"] });

/** An issuer of its own, which signs for this machine. With days below 0, what it signs has expired. */
export function createAuthority(folder: string): Authority {
  const file = join(folder, "ca.pem");
  const key = join(folder, "ca.key");
  const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", file, "-days", "3650"];
  openssl("req", ...made, "-subj", "/CN=Authority of a drill");
  return {
    file,
    sign: (name, days) => {
      const [cert, own, request, extensions] = ["pem", "key", "csr", "ext"].map((end) =>
        join(folder, `${name}.${end}`),
      );
      writeFileSync(extensions ?? "", "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
      openssl(
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        own ?? "",
        "-out",
        request ?? "",
        "-subj",
        "/CN=localhost",
      );
      const issuer = [
        "-CA",
        file,
        "-CAkey",
        key,
        "-CAcreateserial",
        "-days",
        String(days),
        "-extfile",
        extensions ?? "",
      ];
      openssl("x509", "-req", "-in", request ?? "", "-out", cert ?? "", ...issuer);
      return { cert: cert ?? "", key: own ?? "" };
    },
  };
}

export const readPair = ({ cert, key }: CertificateFiles): { cert: Buffer; key: Buffer } => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
});
