import type { TLSSocket } from "node:tls";
import type { Client } from "pg";
import type { TlsCertificate } from "../../core/tls-certificate.ts";

/** Those of a connection, both ways; none without TLS. */
export function readCertificates(client: Client): TlsCertificate[] {
  const { stream } = (client as unknown as { connection: { stream: Partial<TLSSocket> } }).connection;
  const pairs = [
    ["database", stream.getPeerX509Certificate?.()],
    ["database_client", stream.getX509Certificate?.()],
  ] as const;
  return pairs.flatMap(([usedFor, shown]) =>
    shown === undefined
      ? []
      : [{ usedFor, host: "", beginsAtMs: shown.validFromDate.getTime(), endsAtMs: shown.validToDate.getTime() }],
  );
}
