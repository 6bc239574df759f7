import { X509Certificate } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getCACertificates, type TLSSocket } from "node:tls";
import type { TlsCertificate } from "../../core/tls-certificate.ts";
import type { Clock } from "../../core/clock.ts";

export type CertificateWatch = {
  /** Those that were used within the last day, and the issuer among those we were told to trust that ends first. */
  seen: () => TlsCertificate[];
  stop: () => void;
};

/** What undici says of each connection that it has made. */
const CONNECTED = "undici:client:connected";
type Connected = { connectParams: { host: string }; socket: Partial<TLSSocket> };

const MOST_HOSTS = 100;
const FORGOTTEN_AFTER_MS = 86_400_000;

/** Looks at the certificates of connections that are made anyway; none is made for it. */
export function watchCertificates(clock: Pick<Clock, "elapsedMs">): CertificateWatch {
  const outgoing = new Map<string, { certificate: TlsCertificate; atMs: number }>();
  const trusted = firstToEnd(
    getCACertificates("extra").map((pem) => certificateOf(new X509Certificate(pem), "trusted")),
  );

  const look = (message: unknown): void => {
    const { connectParams, socket } = message as Connected;
    const { host } = connectParams;
    const shown = socket.getPeerX509Certificate?.();
    if (shown === undefined || (outgoing.size >= MOST_HOSTS && !outgoing.has(host))) return;
    outgoing.set(host, { certificate: certificateOf(shown, "outgoing", host), atMs: clock.elapsedMs() });
  };
  subscribe(CONNECTED, look);

  return {
    seen: () => {
      for (const [host, { atMs }] of outgoing) if (clock.elapsedMs() - atMs > FORGOTTEN_AFTER_MS) outgoing.delete(host);
      return [...trusted, ...[...outgoing.values()].map(({ certificate }) => certificate)];
    },
    stop: () => void unsubscribe(CONNECTED, look),
  };
}

const certificateOf = (
  { validFromDate, validToDate }: X509Certificate,
  usedFor: TlsCertificate["usedFor"],
  host = "",
): TlsCertificate => ({ usedFor, host, beginsAtMs: validFromDate.getTime(), endsAtMs: validToDate.getTime() });

const firstToEnd = (certificates: readonly TlsCertificate[]): TlsCertificate[] =>
  certificates.toSorted((one, other) => one.endsAtMs - other.endsAtMs).slice(0, 1);
