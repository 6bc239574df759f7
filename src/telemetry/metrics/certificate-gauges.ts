import { Gauge, type Registry } from "@prometheus-io/client";
import type { TlsCertificate } from "../../core/tls-certificate.ts";
import { createBoundedLabel } from "./bounded-label.ts";
import { CERTIFICATE_GAUGES } from "./server-metric-table.ts";

const MOST_HOSTS = 100;

/** Set anew at every reading, so that a certificate that is no longer used leaves no series behind. */
export function createCertificateGauges(registry: Registry): {
  watchCertificates: (read: () => readonly TlsCertificate[]) => void;
} {
  let read: () => readonly TlsCertificate[] = () => [];
  const boundedHost = createBoundedLabel(MOST_HOSTS);
  for (const [row, valueOf] of [
    [CERTIFICATE_GAUGES.expires, ({ endsAtMs }: TlsCertificate) => endsAtMs / 1_000],
    [CERTIFICATE_GAUGES.lifetime, ({ beginsAtMs, endsAtMs }: TlsCertificate) => (endsAtMs - beginsAtMs) / 1_000],
  ] as const) {
    const { name, help, labels, overWorkers: aggregator } = row;
    const gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      aggregator,
      registers: [],
      collect() {
        this.reset();
        for (const one of read()) this.set({ used_for: one.usedFor, host: boundedHost(one.host) }, valueOf(one));
      },
    });
    registry.registerMetric(gauge);
  }
  return { watchCertificates: (from) => void (read = from) };
}
